import type { Document } from '../../engine/document/document.js';
import type { CheckedDocument } from '../check/subject/checked-document.js';

/** A named symbol of an app. */
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
  /** Owner of a parameter, `temp` member or connection member: `module listUsers`; undefined for the base. */
  readonly owner?: string | undefined;
}

/** An occurrence with offsets in the file. */
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
  /** Start of the name in the text. Default: 0. */
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

/** Owner of a document; undefined for general files. */
export function nameOwner({ owner }: CheckedDocument): string | undefined {
  return owner === undefined ? undefined : `${owner.kind} ${owner.name}`;
}
