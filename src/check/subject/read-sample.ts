import type { Document } from '../../document/reading/document.js';
import { childPointer, type SourceLocation } from '../../errors/source-location.js';
import { isPlainObject } from '../../util/plain-object.js';

interface SampleMember {
  readonly key: string;
  readonly place: () => SourceLocation;
}

/** Members of the first sample; undefined without one. */
export function readSample(samples: Document | undefined): readonly SampleMember[] | undefined {
  if (samples === undefined) return undefined;
  const isList = Array.isArray(samples.value);
  const sample: unknown = Array.isArray(samples.value) ? samples.value[0] : samples.value;
  if (!isPlainObject(sample)) return undefined;
  return Object.keys(sample).map((key) => ({
    key,
    place: () => samples.locationOf(childPointer(isList ? '/0' : '', key), undefined, 'key'),
  }));
}
