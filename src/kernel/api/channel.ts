// A stream of messages, as asyncapi.json describes it.
export type Message = { readonly key: string; readonly name: string; readonly schema: string };
export type Channel = {
  readonly address: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, { readonly description: string }>>;
  readonly messages: readonly Message[];
};
