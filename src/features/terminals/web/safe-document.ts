// The page's policy allows no inline style, and xterm draws with them: a style element for its colours and
// sizes, style attributes on coloured letters. It is given a document that makes elements which do the same
// through the object model, where the policy allows it. Without this a terminal is unreadable.

export type SafeDocument = {
  readonly document: Document;
  /** For what it makes by the page's own document while it is opened. */
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

/** Letters are made with the page's own document, whatever was passed; there is no other way to tell it. */
export function lettersFrom(document: Document, terminal: object): void {
  const factory = (terminal as Inside)._core?._renderService?._renderer?.value?._rowFactory;
  if (factory) factory._document = document; // without it, letters in true colour have none
}

/** In the place of a style element: what is written into it becomes a sheet of the document. */
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
