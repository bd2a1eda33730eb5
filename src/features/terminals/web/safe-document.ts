// xterm draws with inline styles, which the page's policy forbids. This document sets the same styles through
// the object model; without it a terminal is unreadable.

export type SafeDocument = {
  readonly document: Document;
  /** Covers elements that xterm creates from the global document while it opens. */
  during(work: () => void): void;
  dispose(): void;
};

export function safeDocument(real: Document): SafeDocument {
  const sheets = new Set<CSSStyleSheet>();
  const make = real.createElement.bind(real);
  const createElement = (name: string): HTMLElement => {
    if (name === "style") return standIn(real, sheets);
    const element = make(name);
    if (name === "span") styledByModel(element);
    return element;
  };
  const document = new Proxy(real, {
    get(target, key) {
      if (key === "createElement") return createElement;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return {
    document,
    during(work) {
      real.createElement = createElement as Document["createElement"];
      try {
        work();
      } finally {
        Reflect.deleteProperty(real, "createElement"); // the prototype's is there again
      }
    },
    dispose() {
      real.adoptedStyleSheets = real.adoptedStyleSheets.filter((sheet) => !sheets.has(sheet));
    },
  };
}

type Renderer = { readonly _rowFactory?: { _document: Document } };
type Inside = {
  readonly _core?: { readonly _renderService?: { _renderer?: { value?: Renderer } } };
};

/** xterm creates letters from the global document; there is no option for another one. */
export function lettersFrom(document: Document, terminal: object): void {
  const factory = (terminal as Inside)._core?._renderService?._renderer?.value?._rowFactory;
  if (factory) factory._document = document; // without it, letters in true colour have none
}

/** Replaces a style element: its text becomes a constructed style sheet. */
function standIn(real: Document, sheets: Set<CSSStyleSheet>): HTMLElement {
  const element = Document.prototype.createElement.call(real, "span");
  const sheet = new CSSStyleSheet();
  element.hidden = true;
  sheets.add(sheet);
  real.adoptedStyleSheets = [...real.adoptedStyleSheets, sheet];
  Object.defineProperty(element, "textContent", {
    set(css: string) {
      sheet.replaceSync(css);
    },
  });
  return element;
}

function styledByModel(element: HTMLElement): void {
  element.setAttribute = (name, value) => {
    if (name === "style") element.style.cssText = value;
    else Element.prototype.setAttribute.call(element, name, value);
  };
}
