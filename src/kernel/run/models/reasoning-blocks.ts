// Reasoning as it streams: several blocks, each with its own text, and with what its provider wants back, which may
// arrive with the first, any or the last piece.
import type { SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { ModelPart } from "./model.ts";
import { keep, mergeMetadata, plainMetadata, type Place } from "./provider-data.ts";
import { createWellFormedText, type WellFormedText } from "./well-formed.ts";

type Metadata = SharedV4ProviderMetadata | undefined;
type Block = { id: string; place: Place; text: WellFormedText; said: boolean; metadata: Metadata };

export type ReasoningBlocks = {
  start(sdkId: string, metadata: Metadata): ModelPart[];
  delta(sdkId: string, delta: string, metadata: Metadata): ModelPart[];
  end(sdkId: string, metadata: Metadata): ModelPart[];
};

export function createReasoningBlocks(nextPlace: () => Place): ReasoningBlocks {
  const blocks = new Map<string, Block>();
  let count = 0;

  function begin(sdkId: string): Block {
    count += 1;
    const text = createWellFormedText();
    const block = { id: `r${count}`, place: nextPlace(), text, said: false, metadata: undefined };
    blocks.set(sdkId, block); // some servers call every block "reasoning-0": the last one counts
    return block;
  }

  function blockOf(sdkId: string, metadata: Metadata): Block {
    const block = blocks.get(sdkId) ?? begin(sdkId);
    block.metadata = mergeMetadata(block.metadata, metadata);
    return block;
  }

  return {
    start(sdkId, metadata) {
      begin(sdkId).metadata = metadata;
      return [];
    },
    delta(sdkId, delta, metadata) {
      const block = blockOf(sdkId, metadata);
      return say(block, block.text.push(delta));
    },
    end: (sdkId, metadata) => endOf(blockOf(sdkId, metadata)),
  };
}

function say(block: Block, text: string): ModelPart[] {
  if (text === "") return [];
  block.said = true;
  return [{ type: "reasoning", id: block.id, text }];
}

/** Reasoning a provider hides has no words and must go back all the same: an empty part stands for it. */
function endOf(block: Block): ModelPart[] {
  const { id, place } = block;
  const last = say(block, block.text.end());
  const metadata = plainMetadata(block.metadata);
  if (!metadata) return [...last, { type: "reasoning_end", id }];
  const hidden: ModelPart[] = block.said ? [] : [{ type: "reasoning", id, text: "" }];
  return [
    ...last,
    ...hidden,
    { type: "reasoning_end", id, providerData: keep({ ...place, metadata }) },
  ];
}
