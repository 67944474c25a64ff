import type { SourceLocation } from '../../errors/source-location.js';

/** What a point is about. */
export type PointKind =
  | 'module'
  | 'rpc'
  | 'connection'
  | 'webhook'
  | 'directive'
  | 'error'
  | 'pagination'
  | 'branch';

/** Something of an app that a run can reach. */
export interface CoveragePoint {
  readonly kind: PointKind;
  /** `listOrders`, `response.output`, `condition is true`. */
  readonly label: string;
  /** `file` from the folder of the app; undefined for a component without a file. */
  readonly place: SourceLocation;
  /** Of a component its name, of a branch its side: what tells it from others at the same place. */
  readonly detail?: string | undefined;
}

/** The same, and how often runs have reached it. */
export interface CountedPoint extends CoveragePoint {
  readonly count: number;
}

/** A key of the place a directive is written at, as observers and lists of points agree on it. */
export function pointKey(place: SourceLocation): string {
  return `${place.file ?? ''}#${place.pointer ?? ''}`;
}

/** The same for a side of a decision; `offset` for a call of `if` in a text. */
export function sideKey(place: SourceLocation, isYes: boolean, offset?: number): string {
  return `${pointKey(place)}@${offset ?? ''}:${isYes}`;
}
