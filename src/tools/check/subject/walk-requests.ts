import type { Document } from '../../../engine/document/document.js';
import { childPointer, type SourceLocation } from '../../../shared/errors/source-location.js';
import { isPlainObject, type PlainObject } from '../../../shared/plain-object.js';
import type { CheckedDocument } from './checked-document.js';

/** A request as written, without the base. */
export interface WrittenRequest {
  readonly in: CheckedDocument;
  readonly document: Document;
  readonly value: PlainObject;
  readonly pointer: string;
  /** `authorize`, `token`, ... of an OAuth connection. */
  readonly section: string | undefined;
  readonly element: number;
  /** Length of its chain. */
  readonly length: number;
}

/** The requests of a communication: each element of a chain, each section of an OAuth connection. */
export function listRequests(checked: CheckedDocument): readonly WrittenRequest[] {
  const { document, kind } = checked;
  if (kind !== 'oauth') return listChain(checked, document.value, '', undefined);
  if (!isPlainObject(document.value)) return [];
  return Object.entries(document.value)
    .filter(([section]) => section !== 'oauth')
    .flatMap(([section, value]) => listChain(checked, value, childPointer('', section), section));
}

function listChain(
  checked: CheckedDocument,
  value: unknown,
  pointer: string,
  section: string | undefined,
): readonly WrittenRequest[] {
  const isChain = Array.isArray(value);
  const elements: readonly unknown[] = isChain ? value : [value];
  return elements.flatMap((element, index) => {
    if (!isPlainObject(element) || Object.keys(element).length === 0) return [];
    const at = isChain ? childPointer(pointer, index) : pointer;
    const { document } = checked;
    return [
      {
        in: checked,
        document,
        value: element,
        pointer: at,
        section,
        element: index,
        length: elements.length,
      },
    ];
  });
}

/** The JSON pointer of a member of a request. */
export function pointerTo({ pointer }: Pick<WrittenRequest, 'pointer'>, ...path: readonly string[]): string {
  return path.reduce<string>(childPointer, pointer);
}

/** What is written in a document: a request, a field. */
type Written = Pick<WrittenRequest, 'document' | 'pointer'>;

/** The location of a member of a request or field. */
export function locate(written: Written, ...path: readonly string[]): SourceLocation {
  return written.document.locationOf(pointerTo(written, ...path));
}

/** The location of the name of a member. */
export function locateKey(written: Written, ...path: readonly string[]): SourceLocation {
  return written.document.locationOf(pointerTo(written, ...path), undefined, 'key');
}

/** Whether requests of the document inherit the base. Source: the page on the base. [doc] */
export function inheritsBase({ kind, part, owner }: CheckedDocument): boolean {
  if (owner === undefined || owner.kind === 'connection') return false;
  if (owner.kind === 'webhook') return part === 'attach' || part === 'detach' || part === 'update';
  return kind === 'api' || kind === 'epoch' || kind === 'endpoint';
}

/** Whether a document contains requests. */
export function holdsRequests({ kind }: CheckedDocument): boolean {
  return kind === 'base' || kind === 'api' || kind === 'oauth' || kind === 'epoch' || kind === 'endpoint';
}
