/**
 * Declares the used part of `saxes`, because its own declarations fail under `exactOptionalPropertyTypes`.
 * tsconfig.json points the compiler to this file.
 */
export interface SaxesTagPlain {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export class SaxesParser {
  constructor(options: { readonly xmlns: false; readonly position: boolean });
  on(name: 'error', handler: (error: Error) => void): void;
  on(name: 'opentagstart' | 'attribute', handler: (named: { readonly name: string }) => void): void;
  on(name: 'closetag', handler: () => void): void;
  on(name: 'opentag', handler: (tag: SaxesTagPlain) => void): void;
  on(name: 'text' | 'cdata', handler: (text: string) => void): void;
  /** Characters that were read, line ends as they came. */
  readonly position: number;
  write(chunk: string): this;
  close(): this;
}
