// Caches the page (never its data) for when the server is away, and shows push messages. API requests bypass it.
/// <reference lib="webworker" />

type Shown = { title: string; body: string; url: string; tag: string };

const worker = self as unknown as ServiceWorkerGlobalScope;
const SHELL = "quarterdeck-shell-1";
const PAGE = "/"; // one document serves every address of the page
const MAX_FILES = 150;
// Must match src/web/use-route.ts: any other address is not the page.
const PLACES = /^\/(?:$|s\/|approve\/|inbox$|settings$)/;

worker.addEventListener("install", (event) => {
  event.waitUntil(keepPage().then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys()) if (name !== SHELL) await caches.delete(name);
      await worker.clients.claim();
    })(),
  );
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== worker.location.origin) return;
  if (request.mode === "navigate" && PLACES.test(pathname)) event.respondWith(page(event));
  else if (pathname.startsWith("/assets/")) event.respondWith(asset(event));
});

/** The newest page, or the cached one while the server is away. */
async function page(event: FetchEvent): Promise<Response> {
  try {
    const response = await fetch(event.request);
    if (isPage(response)) keepLater(event, PAGE, response.clone());
    return response;
  } catch {
    return (await caches.match(PAGE)) ?? Response.error();
  }
}

/** Build files never change under the same name. */
async function asset(event: FetchEvent): Promise<Response> {
  const kept = await caches.match(event.request);
  if (kept) return kept;
  const response = await fetch(event.request);
  if (response.ok) keepLater(event, event.request.url, response.clone());
  return response;
}

/** Not awaited; on a full disk it is just not cached. */
function keepLater(event: FetchEvent, url: string, response: Response): void {
  event.waitUntil(keep(url, response).catch(() => undefined));
}

async function keepPage(): Promise<void> {
  const response = await fetch(PAGE);
  if (!isPage(response)) return;
  const files = [...(await response.clone().text()).matchAll(/\/assets\/[\w.-]+/g)];
  await keep(PAGE, response);
  const shell = await caches.open(SHELL);
  await shell.addAll([...new Set(files.map(([path]) => path))]);
}

async function keep(url: string, response: Response): Promise<void> {
  const shell = await caches.open(SHELL);
  await shell.put(url, response);
  const files = await shell.keys();
  const old = files.filter((file) => new URL(file.url).pathname !== PAGE).slice(0, -MAX_FILES);
  for (const file of old) await shell.delete(file); // of earlier builds
}

/** Our own page and not a proxy's: only ours has the policy that allows HTML. */
function isPage({ ok, headers }: Response): boolean {
  return ok && (headers.get("content-security-policy")?.includes("trusted-types") ?? false);
}

worker.addEventListener("push", (event) => {
  event.waitUntil(show(event.data?.json() as Shown | undefined));
});

async function show(shown: Shown | undefined): Promise<void> {
  if (!shown) return;
  const { title, body, url, tag } = shown;
  const windows = await worker.clients.matchAll({ type: "window" });
  const looking = windows.some(
    ({ focused, url: place }) => focused && new URL(place).pathname === url,
  );
  if (looking) return; // it is on the screen already
  const notification: NotificationOptions & { renotify: boolean } = {
    body,
    tag,
    renotify: true, // the next one of a session is news too
    icon: "/icons/icon-192.png",
    badge: "/icons/icon-192.png",
    data: { url },
  };
  await worker.registration.showNotification(title, notification);
}

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open((event.notification.data as { url: string }).url));
});

async function open(url: string): Promise<void> {
  const [known] = await worker.clients.matchAll({ type: "window" });
  if (!known) return void (await worker.clients.openWindow(url));
  await known.focus();
  known.postMessage({ open: url }); // without a reload: what is being written stays
}
