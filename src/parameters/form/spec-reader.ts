import type { WarningCode } from '../../document/reading/document.js';
import type { Place } from '../../errors/source-location.js';
import type { ParameterElement, ParameterReference } from './parameter-spec.js';
import { parseRpcReference } from './rpc-reference.js';

/** What reading a form specification needs everywhere. */
export interface Reader {
  readonly warn: (code: WarningCode, pointer: string, message: string) => void;
  readonly placeOf: (pointer: string) => Place;
  /**
   * Counts what is described before it is read.
   *
   * @throws SpecError `SPEC_INVALID` for more than the reader reads
   */
  readonly count: (more: number, pointer: string) => void;
  /** Reads fields that are shown with another one: options have them, and fields have options. */
  readonly readNested: (value: unknown, spot: Spot) => readonly ParameterElement[] | undefined;
}

/** Where a piece stands: its pointer, and how many fields it is inside of. */
export interface Spot {
  readonly pointer: string;
  readonly depth: number;
}

/** Reads text in the place of fields or options; any text is kept, one that is no `rpc://` address with a warning. */
export function readReference(reader: Reader, text: string, spot: Spot): ParameterReference {
  if (parseRpcReference(text) === undefined) {
    const shown = JSON.stringify(text.slice(0, 80));
    reader.warn('unknown-reference', spot.pointer, `${shown} is no address of the form rpc://name.`);
  }
  return {
    kind: 'reference',
    text,
    get place() {
      return reader.placeOf(spot.pointer);
    },
  };
}
