import { APP_FUNCTIONS } from '../../../app/engine/app-functions.js';
import type { App } from '../../../document/app.js';
import { compileCommunication } from '../../../document/compile/compile-request.js';
import { findLookAheadObstacle } from '../../../document/compile/look-ahead-obstacle.js';
import type { Document } from '../../../document/reading/document.js';
import { SpecError } from '../../../errors/spec-error.js';
import type { FunctionTable } from '../../../iml/environment/environment.js';
import { toEnvironment } from '../../../iml/environment/to-environment.js';
import { isPlainObject } from '../../../util/plain-object.js';

/** Whether pages can be asked for ahead. */
export interface LookAheadInfo {
  readonly qualifies: boolean;
  /** What stands against it: `pagination.qs.cursor reads body.next`. */
  readonly reason?: string;
  readonly place?: { readonly file?: string; readonly line?: number; readonly column?: number };
}

/** Of a component whose last request is paged; undefined for all others, and for one that cannot be run as it is written. */
export function describeLookAhead(communication: Document | undefined, app: App): LookAheadInfo | undefined {
  if (communication === undefined || !isPaged(communication.value, app)) return undefined;
  const context = { environment: toEnvironment({}), functions: listFunctions(app) };
  try {
    const request = compileCommunication(communication, app.base, context).at(-1);
    if (request?.pagination === undefined || request.isStatic) return undefined;
    const obstacle = findLookAheadObstacle(request);
    if (obstacle === undefined) return { qualifies: true };
    const { file, line, column } = request.document.placeOf(obstacle.pointer, obstacle.offset);
    const position = line !== undefined && column !== undefined && { line, column };
    return {
      qualifies: false,
      reason: obstacle.reason,
      ...(file !== undefined && { place: { file, ...position } }),
    };
  } catch (error) {
    if (error instanceof SpecError) return undefined;
    throw error;
  }
}

/** Looked at first: most components are not paged, and need not be compiled. */
function isPaged(communication: unknown, { base }: App): boolean {
  const last: unknown = Array.isArray(communication) ? communication.at(-1) : communication;
  return [last, base?.value].some((value) => isPlainObject(value) && Object.hasOwn(value, 'pagination'));
}

/** Nothing is called: that a custom function is none of the language's is all that counts. */
function listFunctions({ functions }: App): FunctionTable {
  const custom = [...functions.keys()].map((name) => [name, () => undefined] as const);
  return { ...APP_FUNCTIONS, ...Object.fromEntries(custom) };
}
