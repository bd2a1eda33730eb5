// A component that is loaded when it is first drawn, by the name its module exports it under.
import { lazy, type ComponentType, type LazyExoticComponent } from "react";

type Parts<Name extends string, Props> = Readonly<Record<Name, ComponentType<Props>>>;

export function lazyPart<Name extends string, Props>(
  load: () => Promise<Parts<Name, Props>>,
  name: Name,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: (await load())[name] }));
}
