import type { SourceLocation } from '../../errors/source-location.js';

/** Type of a coverage point. */
export type PointKind =
  | 'module'
  | 'rpc'
  | 'connection'
  | 'webhook'
  | 'directive'
  | 'error'
  | 'pagination'
  | 'branch';

/** A part of an app that a run can reach. */
export interface CoveragePoint {
  readonly kind: PointKind;
  /** `listOrders`, `response.output`, `condition is true`. */
  readonly label: string;
  /** `file` is relative to the app; undefined for a component without a file. */
  readonly place: SourceLocation;
  /** The name of a component, or the side of a branch: distinguishes points at one location. */
  readonly detail?: string | undefined;
}

/** A point with the number of runs that reached it. */
export interface CountedPoint extends CoveragePoint {
  readonly count: number;
}

/** The key of a source location, for observers and lists of points. */
export function pointKey(place: SourceLocation): string {
  return `${place.file ?? ''}#${place.pointer ?? ''}`;
}

/** The key of one side of a decision; `offset` is that of an `if` call in the text. */
export function sideKey(place: SourceLocation, isYes: boolean, offset?: number): string {
  return `${pointKey(place)}@${offset ?? ''}:${isYes}`;
}
