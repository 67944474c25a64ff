import type { Document } from '../../engine/document/document.js';
import { readDocument } from '../../engine/document/jsonc.js';
import {
  described,
  FREE_OBJECT,
  type KeyShape,
  NUMBER,
  only,
  type Shape,
} from '../../engine/document/shape.js';
import type { ErrorHandler } from '../../scenario/flow.js';
import { DEFAULT_SETTINGS, type ScenarioSettings } from '../../scenario/scenario-state.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { childPointer } from '../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import { didYouMean } from '../../shared/suggest.js';
import type { CronSchedule } from '../store/scenario-plan.js';
import type { StepDefinition } from './scenario-flows.js';

const WORD: KeyShape = { types: ['string'] };
const COUNT: KeyShape = { types: ['number'] };
const YES_NO: KeyShape = { types: ['boolean'] };
const OBJECT: KeyShape = { types: ['object'] };

/** Kinds of error handlers. */
const HANDLERS = ['ignore', 'resume', 'commit', 'rollback', 'break'] as const;

/** `"ignore"`, or an object with options. */
const HANDLER_SHAPE: Shape = {
  title: 'an error handler',
  required: ['kind'],
  keys: {
    kind: described('How to handle the error.', WORD, HANDLERS),
    output: described('For resume: the substitute output.'),
    automatic: described('For break: whether to retry automatically. Default: true.', YES_NO),
    attempts: described('For break: number of attempts.', COUNT),
    intervalMs: described('For break: interval between attempts in milliseconds.', COUNT),
  },
};

/** A module of a scenario. */
const STEP_SHAPE: Shape = {
  title: 'a module of a scenario',
  required: ['app', 'module'],
  keys: {
    id: described(
      'Id by which later modules read its output: `{{2.email}}`. Default: its position, starting at 1.',
      COUNT,
    ),
    app: described('Name of the app.', WORD),
    module: described('Name of the module.', WORD),
    connection: described('Name of a connection.', WORD),
    parameters: described('Values of its parameters. Strings are templates.', OBJECT),
    filter: described('Template that decides whether a bundle enters this module.', {
      types: ['string', 'boolean'],
    }),
    onError: described('Error handler.', { types: ['string', 'object'], shape: HANDLER_SHAPE }, HANDLERS),
    continueWhenNoRes: described(
      'Whether the scenario continues if this search finds nothing, with `__IMTLENGTH__` 0. Default: true.',
      { types: ['boolean'] },
    ),
  },
};

/** The webhook that starts a scenario. */
const WEBHOOK_SHAPE: Shape = {
  title: 'the webhook of a scenario',
  required: ['app', 'webhook'],
  keys: {
    app: described('Name of the app.', WORD),
    webhook: described('Name of its webhook.', WORD),
    connection: described('Name of a connection.', WORD),
    uid: described('For shared webhooks: the user id at the remote API.', WORD),
    parameters: described('Values of its parameters.', OBJECT),
  },
};

const SETTINGS_ABOUT: Readonly<Record<keyof typeof DEFAULT_SETTINGS, string>> = {
  scheduling: '`timed`: by schedule; `instant`: when an event arrives. Derived from the other members.',
  sequential: 'Runs one at a time, and none while an incomplete execution is unresolved. Default: false.',
  storeIncomplete: 'Whether to store failed bundles as incomplete executions. Default: false.',
  dataLoss:
    'Whether failed bundles may be dropped if the storage for incomplete executions is full. Default: false.',
  autoCommit: 'Whether to commit each bundle of the first module separately. Default: true.',
  maxErrors: 'Consecutive errors that deactivate the scenario. Default: 3.',
  instantMaxErrors: 'Same as maxErrors for instant scheduling. Default: maxErrors.',
  instantRateLimit: 'Reaction to a RateLimitError with instant scheduling. Default: suspend.',
  minRetryAfterMs: 'Minimum suspension by Retry-After in milliseconds. Default: 1000.',
  maxRetryAfterMs: 'Maximum suspension by Retry-After in milliseconds; 0 ignores it. Default: one day.',
};

const SETTINGS_SHAPE: Shape = {
  title: 'settings of a scenario',
  keys: Object.fromEntries(
    Object.entries(DEFAULT_SETTINGS).map(([name, value]): [string, KeyShape] => [
      name,
      described(SETTINGS_ABOUT[name as keyof typeof SETTINGS_ABOUT], { types: [typeof value as 'string'] }),
    ]),
  ),
};

/** A scenario. */
const SCENARIO_SHAPE: Shape = {
  title: 'a scenario',
  required: ['name'],
  keys: {
    name: described('Unique name.', WORD),
    webhook: described('Webhook that starts it.', only(WEBHOOK_SHAPE)),
    everyMinutes: described('Interval in minutes.', NUMBER),
    cron: described('Cron schedule: `minute hour day month weekday`.', WORD),
    timezone: described('Time zone of `cron`, such as `Europe/Prague`. Default: UTC.', WORD),
    ordered: described(
      'Whether to process events one at a time in order of arrival. Default: false.',
      YES_NO,
    ),
    owner: described(
      'Whom its concurrent runs count for, see `--share`. Default: the app of its trigger.',
      WORD,
    ),
    settings: described('How it runs.', { ...FREE_OBJECT, shape: SETTINGS_SHAPE }),
    modules: described('The modules, in order.', { types: ['array'], each: true, shape: STEP_SHAPE }),
  },
};

/** A scenario file, as for `iml serve --scenarios`. */
export const SCENARIO_FILE_SHAPE: Shape = {
  title: 'a file of scenarios',
  required: ['scenarios'],
  keys: {
    $schema: described('URL of the schema of this file.', WORD),
    scenarios: described('The scenarios.', { types: ['array'], each: true, shape: SCENARIO_SHAPE }),
  },
};

/** The webhook of a scenario in a file. */
export interface WebhookEntry {
  readonly app: string;
  readonly webhook: string;
  readonly connection: string | undefined;
  /** For shared webhooks: the user id at the remote API. */
  readonly uid: string | undefined;
  readonly parameters: PlainObject;
}

/** A scenario in a file. See `docs/serve.md` for the format. */
export interface ScenarioEntry {
  readonly name: string;
  readonly webhook: WebhookEntry | undefined;
  readonly everyMinutes: number | undefined;
  /** Calendar schedule instead of an interval. */
  readonly cron?: CronSchedule | undefined;
  readonly ordered: boolean;
  /** Whom its concurrent runs count for. Default: the app of its trigger. */
  readonly owner?: string | undefined;
  readonly settings: Partial<ScenarioSettings>;
  readonly modules: readonly StepDefinition[];
}

/**
 * Parses a scenario file: JSON with comments.
 *
 * @throws SpecError (SPEC_JSON); EngineError (HOST_FILE) with the location of a missing or unknown member
 */
export function readScenarioFile(text: string, file: string): readonly ScenarioEntry[] {
  const document = readDocument(text, file);
  const root = readFields({ document, pointer: '', value: document.value }, SCENARIO_FILE_SHAPE);
  const entries = root.list('scenarios').map(readEntry);
  const names = new Set<string>();
  for (const [index, { name }] of entries.entries()) {
    if (names.has(name)) {
      throw fileError(
        { document, pointer: `/scenarios/${index}/name` },
        `Duplicate scenario name "${name}".`,
      );
    }
    names.add(name);
  }
  return entries;
}

function readEntry(at: Spot): ScenarioEntry {
  const fields = readFields(at, SCENARIO_SHAPE);
  const webhook = fields.optional('webhook', readWebhook);
  const everyMinutes = fields.number('everyMinutes');
  if (everyMinutes !== undefined && everyMinutes <= 0) {
    throw fileError(fields.spot('everyMinutes'), '"everyMinutes" has to be more than 0.');
  }
  const cron = readCron(fields);
  if (cron !== undefined && everyMinutes !== undefined) {
    throw fileError(fields.spot('cron'), 'Expected either "everyMinutes" or "cron", not both.');
  }
  if (webhook === undefined && everyMinutes === undefined && cron === undefined) {
    throw fileError(at, 'A scenario needs a "webhook", or "everyMinutes" or "cron" for a polling trigger.');
  }
  const modules = fields.list('modules').map(readStep);
  if (webhook === undefined && modules.length === 0) {
    throw fileError(at, 'A scenario without a webhook needs modules.');
  }
  return {
    name: fields.text('name'),
    webhook,
    everyMinutes,
    cron,
    modules,
    ordered: fields.flag('ordered'),
    owner: fields.optionalText('owner'),
    // Names and values are validated where the settings are used.
    settings: fields.object('settings') as Partial<ScenarioSettings>,
  };
}

function readCron(fields: Fields): CronSchedule | undefined {
  const pattern = fields.optionalText('cron');
  const timezone = fields.optionalText('timezone');
  if (pattern !== undefined) return { pattern, timezone };
  if (timezone === undefined) return undefined;
  throw fileError(fields.spot('timezone'), '"timezone" is the zone of a "cron".');
}

function readWebhook(at: Spot): WebhookEntry {
  const fields = readFields(at, WEBHOOK_SHAPE);
  return {
    app: fields.text('app'),
    webhook: fields.text('webhook'),
    connection: fields.optionalText('connection'),
    uid: fields.optionalText('uid'),
    parameters: fields.object('parameters'),
  };
}

function readStep(at: Spot, index: number): StepDefinition {
  const fields = readFields(at, STEP_SHAPE);
  const filter = at.value && isPlainObject(at.value) ? ownMember(at.value, 'filter') : undefined;
  if (filter !== undefined && typeof filter !== 'string' && typeof filter !== 'boolean') {
    throw fileError(fields.spot('filter'), '"filter" has to be a template.');
  }
  return {
    id: fields.number('id') ?? index + 1,
    app: fields.text('app'),
    module: fields.text('module'),
    connection: fields.optionalText('connection'),
    parameters: fields.object('parameters'),
    filter,
    onError: fields.optional('onError', readHandler),
    continueWhenNoRes: fields.optional('continueWhenNoRes', () => fields.flag('continueWhenNoRes')),
  };
}

/** `"ignore"`, or `{ "kind": "break", "attempts": 3 }`. */
function readHandler(at: Spot): ErrorHandler {
  const given = typeof at.value === 'string' ? { kind: at.value } : at.value;
  const fields = readFields({ ...at, value: given }, HANDLER_SHAPE);
  const kind = HANDLERS.find((known) => known === fields.text('kind'));
  switch (kind) {
    case undefined:
      throw fileError(at, `"onError" is one of ${HANDLERS.join(', ')}.`);
    case 'resume':
      return { kind, output: isPlainObject(given) ? ownMember(given, 'output') : undefined };
    case 'break': {
      const isWritten = isPlainObject(given) && ownMember(given, 'automatic') !== undefined;
      return {
        kind,
        automatic: isWritten ? fields.flag('automatic') : undefined,
        attempts: fields.number('attempts'),
        intervalMs: fields.number('intervalMs'),
      };
    }
    default:
      return { kind };
  }
}

/** A value of the file and its location. */
interface Spot {
  readonly document: Document;
  readonly pointer: string;
  readonly value: unknown;
}

interface Fields {
  readonly spot: (name: string) => Spot;
  readonly text: (name: string) => string;
  readonly optionalText: (name: string) => string | undefined;
  readonly number: (name: string) => number | undefined;
  /** False if absent. */
  readonly flag: (name: string) => boolean;
  /** Empty if absent. */
  readonly object: (name: string) => PlainObject;
  /** Empty if absent. */
  readonly list: (name: string) => readonly Spot[];
  readonly optional: <T>(name: string, read: (at: Spot) => T) => T | undefined;
}

function readFields(at: Spot, shape: Shape): Fields {
  const { document, pointer, value } = at;
  if (!isPlainObject(value)) throw fileError(at, 'Expected an object.');
  const known = Object.keys(shape.keys);
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    const hint = didYouMean(name, known) || ` Expected: ${known.join(', ')}.`;
    throw fileError(
      { document, pointer: childPointer(pointer, name) },
      `"${name}" is not known here.${hint}`,
    );
  }
  const spot = (name: string): Spot => ({
    document,
    pointer: childPointer(pointer, name),
    value: ownMember(value, name),
  });
  const typed = <T>(name: string, kind: string, is: (given: unknown) => given is T): T | undefined => {
    const found = spot(name);
    if (found.value === undefined || found.value === null) return undefined;
    if (is(found.value)) return found.value;
    throw fileError(found, `"${name}" has to be ${kind}.`);
  };
  const optionalText = (name: string): string | undefined => typed(name, 'a text', isText);
  return {
    spot,
    optionalText,
    text: (name) => {
      const text = optionalText(name);
      if (text !== undefined && text !== '') return text;
      throw fileError(at, `"${name}" is missing.`);
    },
    number: (name) => typed(name, 'a number', isNumber),
    flag: (name) => typed(name, 'true or false', isBoolean) ?? false,
    object: (name) => typed(name, 'an object', isPlainObject) ?? {},
    list: (name) =>
      (typed(name, 'a list', isList) ?? []).map((item, index) => ({
        document,
        value: item,
        pointer: childPointer(childPointer(pointer, name), index),
      })),
    optional: (name, read) => (ownMember(value, name) === undefined ? undefined : read(spot(name))),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** An error of a file for a host. */
export function fileError(
  { document, pointer }: Pick<Spot, 'document' | 'pointer'>,
  message: string,
): EngineError {
  return new EngineError('HOST_FILE', message, { place: document.locationOf(pointer) });
}
