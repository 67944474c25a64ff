import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunInput } from '../../../engine/component/check-and-connect.js';
import type { ItemId, TriggerState } from '../../../engine/component/trigger-data.js';
import type { Engine } from '../../../engine/create-engine.js';
import type { ModuleComponent } from '../../../engine/document/app.js';
import type { EngineOptions } from '../../../engine/engine-options.js';
import { idText, type TriggerType } from '../../../engine/module/trigger-state.js';
import { readDate } from '../../../language/date/read-date.js';
import { readErrno } from '../../../shared/files.js';
import { isPlainObject, ownMember } from '../../../shared/plain-object.js';
import { type Arguments, inGroup, type OptionSpecs, usageError } from '../command.js';
import { writePrivateFile } from '../connections/private-file.js';
import type { Io } from '../io.js';
import { printJson } from '../output/json-output.js';
import { OUTPUT_OPTIONS, type OutputSettings, readOutputSettings, SAVE_OPTION } from '../output/results.js';
import { RECORD_OPTIONS } from '../recording/record-settings.js';
import { CHECK_OPTIONS, INPUT_OPTIONS, readCheck, readComponentInput } from './component-input.js';
import {
  ENGINE_OPTIONS,
  FUNCTIONS_OPTION,
  readEngineOptions,
  readTraceOptions,
  SEMANTICS_OPTION,
  TRACE_OPTIONS,
} from './engine-options.js';
import { decodeUtf8, readData, readDataObject } from './input-data.js';
import { readWhole } from './option-values.js';

/** Settings of a run, except app, module and parameters. */
export interface RunSettings extends OutputSettings {
  readonly input: Omit<RunInput, 'parameters' | 'signal'>;
  readonly engine: Omit<EngineOptions, 'app' | 'connections'>;
  readonly maxBundles: number;
  /** The file of the trace as the user typed it. */
  readonly traceFile: string | undefined;
  /** Folder for binary data. */
  readonly save: string | undefined;
}

/** @throws EngineError (USAGE) */
export async function readRunSettings(args: Arguments, io: Io): Promise<RunSettings> {
  const payload = args.text('payload');
  return {
    ...(await readOutputSettings(args, io)),
    input: {
      ...(await readComponentInput(args, io)),
      payload: payload === undefined ? undefined : await readData(payload, '--payload', io),
      checkParameters: readCheck(args),
    },
    engine: { ...readEngineOptions(args), ...readTraceOptions(args, io) },
    maxBundles: readWhole(args, 'limit') ?? Number.POSITIVE_INFINITY,
    traceFile: args.text('trace-file'),
    save: args.text('save'),
  };
}

/** The options of `iml run`. */
export const RUN_OPTIONS: OptionSpecs = {
  ...inGroup('Input', {
    ...INPUT_OPTIONS,
    payload: { value: 'JSON|@FILE', help: 'Payload of an instant trigger: an item of its webhook.' },
    start: {
      value: 'all|DATE|ID',
      help: 'Start of a polling trigger without state: all, a date, or the ID of an item (see epoch:NAME). Default: now (date) or newest (id).',
    },
    state: {
      value: 'FILE|JSON|@FILE',
      help: 'State of a polling trigger: a file is read before the run and written after it; JSON and @FILE are read only.',
    },
    ...CHECK_OPTIONS,
  }),
  limit: { group: 'Output', short: 'n', value: 'N', help: 'Stops after N bundles.' },
  ...OUTPUT_OPTIONS,
  ...SAVE_OPTION,
  ...RECORD_OPTIONS,
  ...TRACE_OPTIONS,
  'trace-file': {
    group: 'Debugging',
    value: 'FILE.jsonl',
    help: 'Writes the whole run to a file, redacted, for iml dev.',
  },
  ...FUNCTIONS_OPTION,
  ...ENGINE_OPTIONS,
  ...SEMANTICS_OPTION,
};

const WORDS = ['all', 'now', 'newest'] as const;

/**
 * The value of `--start` for a trigger: a word, a date, or the ID of the first item to output.
 *
 * @param engine loads the date of an item from the epoch for a date trigger
 * @throws EngineError (USAGE) for a value that does not fit the type of the trigger
 */
export async function readTriggerStart(
  text: string,
  module: ModuleComponent,
  engine: Engine,
  input: RunInput,
): Promise<Pick<RunInput, 'state' | 'start'>> {
  const word = WORDS.find((known) => known === text);
  if (word !== undefined) return { start: word };
  const date = /^\d{4}-\d\d/.test(text) ? readDate(text, 'UTC') : undefined;
  const type = writtenType(module);
  if (type !== 'id' && date !== undefined) return { start: { since: date } };
  if (type !== 'date') return { start: { id: text } };
  return { state: await findStart(text, module, engine, input) };
}

/** `trigger.type` of the app; undefined if it is an expression. */
function writtenType({ communication }: ModuleComponent): TriggerType | undefined {
  const value = communication?.value;
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  const response = isPlainObject(last) ? ownMember(last, 'response') : undefined;
  const trigger = isPlainObject(response) ? ownMember(response, 'trigger') : undefined;
  if (!isPlainObject(trigger)) return undefined;
  const type = ownMember(trigger, 'type');
  if (type === undefined) return ownMember(trigger, 'date') === undefined ? 'id' : 'date';
  const text = String(type).trim().toLowerCase();
  return text === 'id' || text === 'date' ? text : undefined;
}

async function findStart(
  id: ItemId,
  module: ModuleComponent,
  engine: Engine,
  input: RunInput,
): Promise<RunInput['state']> {
  if (module.epoch === undefined) {
    throw usageError(
      `--start: "${id}" is not a date such as 2026-01-31T12:00:00Z. The trigger "${module.name}" uses dates and has no epoch that lists items.`,
    );
  }
  const { entries } = await engine.module(module.name, 'trigger').epoch(input).orThrow();
  const entry = entries.find((known) => idText(known.id) === idText(id));
  if (entry !== undefined) return entry.state;
  throw usageError(
    `--start: "${id}" is neither a date such as 2026-01-31T12:00:00Z nor the ID of an item that epoch:NAME lists for "${module.name}".`,
  );
}

/** The state of a polling trigger. */
export interface GivenState {
  /** The state before the run; undefined for a missing file. */
  readonly value: TriggerState | undefined;
  /** Concurrent readers see the old or the new state. Undefined for a state of one run. */
  readonly write?: (state: unknown) => Promise<void>;
}

/**
 * The state of `--state`: a file to read and write, or JSON and `@FILE` for one run.
 *
 * @throws EngineError (USAGE) for JSON that is no object, and for a file that cannot be read or contains no state
 */
export async function openState(text: string, io: Io): Promise<GivenState> {
  return isStateOfOneRun(text)
    ? { value: (await readDataObject(text, '--state', io)) as TriggerState }
    : openStateFile(text, io);
}

/** Inline JSON and `@FILE`; a file with such a name needs a path: `./@name`. */
export function isStateOfOneRun(text: string): boolean {
  return /^\s*[{@]/.test(text);
}

async function openStateFile(file: string, io: Io): Promise<GivenState> {
  const target = path.resolve(io.cwd, file);
  return {
    value: await readState(target, file),
    write: async (state) => {
      await writePrivateFile(target, `${printJson(state)}\n`).catch((error: unknown) => {
        throw usageError(
          `--state: the file "${file}" cannot be written (${readErrno(error)}). The state after this run is ${printJson(state)}`,
          error,
        );
      });
    },
  };
}

async function readState(target: string, file: string): Promise<TriggerState | undefined> {
  const bytes = await readFile(target).catch((error: unknown) => {
    if (readErrno(error) === 'ENOENT') return undefined;
    throw usageError(`--state: the file "${file}" cannot be read (${readErrno(error)}).`, error);
  });
  if (bytes === undefined) return undefined;
  try {
    const state: unknown = JSON.parse(decodeUtf8(bytes) ?? '');
    if (isState(state)) return state;
  } catch {
    // Reported below.
  }
  throw usageError(
    `--state: the file "${file}" has no state of a trigger, such as {"lastId":7} or {"lastDate":"2026-01-31T12:00:00Z"}. Remove it to start from the beginning.`,
  );
}

function isState(value: unknown): value is TriggerState {
  return isPlainObject(value) && (Object.hasOwn(value, 'lastId') || Object.hasOwn(value, 'lastDate'));
}
