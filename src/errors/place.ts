/** Where in an app something is written. Fields that are not known are absent. */
export interface Place {
  /** Path of the file, relative to the app's folder. */
  readonly file?: string | undefined;
  /** JSON pointer into that file (RFC 6901), `` for its root. */
  readonly pointer?: string | undefined;
  /** 1-based. */
  readonly line?: number | undefined;
  /** 1-based, in UTF-16 units. */
  readonly column?: number | undefined;
}

/** `base.imljson#/response/error:12:7`, as much of it as is known. */
export function printPlace(place: Place): string {
  const pointer = place.pointer === undefined ? '' : `#${place.pointer}`;
  const position = place.line === undefined ? '' : `:${place.line}:${place.column ?? 1}`;
  return `${place.file ?? ''}${pointer}${position}`;
}

/** One more step into a JSON pointer, escaped as RFC 6901 asks. */
export function childPointer(pointer: string, key: string | number): string {
  // Hardly a name has either, and every member of every file passes here.
  if (typeof key === 'number' || !(key.includes('~') || key.includes('/'))) return `${pointer}/${key}`;
  return `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
