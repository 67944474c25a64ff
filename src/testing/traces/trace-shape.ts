import {
  flag,
  freeForm,
  integer,
  list,
  number,
  object,
  oneOf,
  type Schema,
  type SchemaMap,
  text,
} from '../../schema/build.js';

/** Maximum counts in foreign trace files. [choice] */
const COUNT: Schema<number> = integer({ minimum: 0, maximum: 1_000_000 });
const BYTES: Schema<number> = integer({ minimum: 0 });
const MILLISECONDS: Schema<number> = number({ minimum: 0 });
/** Milliseconds since the epoch within the range of `Date`. */
const INSTANT: Schema<number> = number({ minimum: 0, maximum: 8.64e15 });

const PLACE: Schema<unknown> = object({}, { file: text(), line: COUNT, column: COUNT, pointer: text() });
const WARNING: Schema<unknown> = object({ code: text(), message: text() }, { place: PLACE });
const VALUES: Schema<unknown> = list({});
const HEADER: Schema<unknown> = list(text(), { minItems: 2, maxItems: 2 });

function event(required: SchemaMap, optional: SchemaMap = {}): Schema<unknown> {
  const position = { at: INSTANT, requestIndex: COUNT, page: COUNT, kind: text() };
  return object({ ...position, ...required }, { endpoint: text(), ...optional });
}

/** JSON Schemas of trace events by kind: see `TraceEvent`. */
export const EVENT_SHAPES: SchemaMap = {
  skipped: event({ place: PLACE }),
  request: event({
    method: text(),
    url: text(),
    headers: list(HEADER, { maxItems: 10_000 }),
    size: BYTES,
    place: PLACE,
  }),
  response: event({
    status: integer({ minimum: 0, maximum: 999 }),
    headers: freeForm({ additionalProperties: { type: ['string', 'array'], items: text() } }),
    size: BYTES,
    durationMs: MILLISECONDS,
  }),
  wait: event(
    { reason: oneOf(['repeat', 'budget']) },
    { delayMs: MILLISECONDS, repeats: COUNT, place: PLACE, because: text(), origin: text(), limit: number() },
  ),
  scope: event({
    phase: oneOf(['request', 'response']),
    scope: COUNT,
    names: freeForm(),
    unset: list(text()),
  }),
  page: event({ isIterated: flag(), looked: COUNT, isCut: flag(), outputs: VALUES }),
  missing: event({ expression: text(), reason: text(), place: PLACE }),
  stop: event({
    reason: text(),
    used: object({ requests: COUNT, pages: COUNT, records: COUNT, elapsedMs: MILLISECONDS }),
  }),
  debug: event({ function: text(), values: VALUES, place: PLACE }),
  warning: event({ warning: WARNING }),
  failed: event({ phase: text(), message: text() }, { place: PLACE }),
};

/** JSON Schema of the last line: see `TracedEnd`. */
export const END_SHAPE: Schema<unknown> = object(
  {
    state: oneOf(['ok', 'failed', 'stopped']),
    bundles: COUNT,
    stats: object(
      { requests: COUNT, pages: COUNT, records: COUNT, durationMs: MILLISECONDS },
      { stopReason: text() },
    ),
    warnings: list(WARNING),
  },
  { error: object({}, { name: text(), type: text(), code: text(), message: text(), place: PLACE }) },
);
