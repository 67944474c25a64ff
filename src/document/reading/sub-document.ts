import { childPointer } from '../../errors/source-location.js';
import { isPlainObject, ownMember } from '../../util/plain-object.js';
import type { Document } from './document.js';

/** The value of a member or item as a document of its own; its places are still those of the file. */
export function subDocument(document: Document, key: string | number): Document {
  const { value, file } = document;
  const prefix = childPointer('', key);
  return {
    value: Array.isArray(value)
      ? value[Number(key)]
      : isPlainObject(value)
        ? ownMember(value, String(key))
        : undefined,
    file,
    ...(document.text !== undefined && { text: document.text }),
    ...(document.offsetOf && {
      offsetOf: (pointer, offset, part) => document.offsetOf?.(prefix + pointer, offset, part) ?? 0,
    }),
    placeOf: (pointer, offset, part) => document.placeOf(prefix + pointer, offset, part),
  };
}
