import type { CheckedDocument } from '../../check/subject/checked-document.js';
import type { Document } from '../../document/reading/document.js';

/** Something with a name that is written in several places. */
export interface AppSymbol {
  readonly kind:
    | 'module'
    | 'connection'
    | 'webhook'
    | 'rpc'
    | 'endpoint'
    | 'function'
    | 'parameter'
    | 'temp'
    | 'data';
  readonly name: string;
  /** The component a parameter, a name of temp or one of the data of a connection belongs to: `module listUsers`; undefined for those of the base. */
  readonly owner?: string | undefined;
}

/** One place a symbol is written; offsets in the file's text. */
export interface Occurrence {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly isDefinition: boolean;
}

export interface Found {
  readonly symbol: AppSymbol;
  readonly at: Occurrence;
}

interface Where {
  readonly part?: 'value' | 'key';
  readonly isDefinition?: boolean;
  /** Where in the text the name starts. Default: 0. */
  readonly from?: number;
}

export function found(
  document: Document,
  symbol: AppSymbol,
  pointer: string,
  where: Where = {},
): readonly Found[] {
  const { part = 'value', isDefinition = false, from = 0 } = where;
  const start = document.offsetOf?.(pointer, from, part);
  const end = document.offsetOf?.(pointer, from + symbol.name.length, part);
  if (document.file === undefined || start === undefined || end === undefined) return [];
  return [{ symbol, at: { file: document.file, start, end, isDefinition } }];
}

/** The component a document belongs to, as symbols name it; undefined for the files of the app itself. */
export function nameOwner({ owner }: CheckedDocument): string | undefined {
  return owner === undefined ? undefined : `${owner.kind} ${owner.name}`;
}
