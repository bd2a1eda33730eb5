// A small image as a data: URL, loaded when visible, if its bytes really are an image.
import { useEffect, useRef, useState, type RefObject } from "react";
import type { Api } from "../../kernel/client/api.ts";
import { isImageType, mediaTypeOf, SNIFF_BYTES } from "../../kernel/events/media-type.ts";
import { useApp } from "../app-context.ts";

export const MAX_THUMBNAIL = 2_000_000;
const KEPT = 24; // rows come and go with scrolling; the newest few pictures need no second fetch

const known = new Map<string, string>();

type Thumbnail = { place: RefObject<HTMLSpanElement | null>; url: string | null };

/** Undefined: nothing to draw. */
export function useThumbnail(sha256: string | undefined): Thumbnail {
  const { api } = useApp();
  const place = useRef<HTMLSpanElement>(null);
  const [loaded, setLoaded] = useState<{ sha256: string; url: string } | null>(null);
  useEffect(() => {
    const element = place.current;
    if (sha256 === undefined || !element || known.has(sha256)) return;
    const stop = new AbortController();
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.disconnect();
      fetchPicture(api, sha256, stop.signal).then(
        (url) => {
          if (url === null || stop.signal.aborted) return;
          keep(sha256, url);
          setLoaded({ sha256, url });
        },
        () => {}, // no picture, and the file is still there to download
      );
    });
    seen.observe(element);
    return () => {
      seen.disconnect();
      stop.abort();
    };
  }, [api, sha256]);
  if (sha256 === undefined) return { place, url: null };
  const now = loaded?.sha256 === sha256 ? loaded.url : null;
  return { place, url: now ?? known.get(sha256) ?? null };
}

function keep(sha256: string, url: string): void {
  known.set(sha256, url);
  const [oldest] = known.keys();
  if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
}

async function fetchPicture(api: Api, sha256: string, signal: AbortSignal): Promise<string | null> {
  const url = api.blobUrl(sha256);
  if (url === "" || url.startsWith("data:")) return pictureOf(new Blob([bytesIn(url)]));
  const response = await api.download(url, signal);
  if (Number(response.headers.get("content-length")) > MAX_THUMBNAIL) return null;
  return pictureOf(await response.blob());
}

/** Contents in a recording need no request. */
function bytesIn(url: string): Uint8Array<ArrayBuffer> {
  const base64 = url.slice(url.indexOf(",") + 1);
  return Uint8Array.from(atob(base64), (char) => char.codePointAt(0) ?? 0);
}

/** Null: the bytes are not an image. */
export async function pictureOf(file: Blob): Promise<string | null> {
  if (file.size > MAX_THUMBNAIL) return null;
  const start = new Uint8Array(await file.slice(0, SNIFF_BYTES).arrayBuffer());
  const type = mediaTypeOf(start, { whole: file.size <= SNIFF_BYTES });
  if (!isImageType(type)) return null;
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result as string));
    reader.addEventListener("error", () => resolve(null));
    reader.readAsDataURL(file.slice(0, file.size, type)); // slice: the type is ours, not the sender's
  });
}
