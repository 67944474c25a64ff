import {
  described,
  FREE_OBJECT,
  type KeyShape,
  NUMBER,
  only,
  type Shape,
} from '../../document/shapes/shape.js';
import { DEFAULT_SETTINGS } from '../../scenario/state/scenario-settings.js';

const WORD: KeyShape = { types: ['string'] };
const COUNT: KeyShape = { types: ['number'] };
const YES_NO: KeyShape = { types: ['boolean'] };
const OBJECT: KeyShape = { types: ['object'] };

/** Kinds of error handlers. */
export const HANDLERS = ['ignore', 'resume', 'commit', 'rollback', 'break'] as const;

/** `"ignore"`, or an object with options. */
export const HANDLER_SHAPE: Shape = {
  title: 'an error handler',
  required: ['kind'],
  keys: {
    kind: described('What is done about the error.', WORD, HANDLERS),
    output: described('Of resume: what the module is taken to have given.'),
    automatic: described('Of break: whether it is tried again by itself. Default: true.', YES_NO),
    attempts: described('Of break: how often.', COUNT),
    intervalMs: described('Of break: how long to wait between, in milliseconds.', COUNT),
  },
};

/** A module of a scenario. */
export const STEP_SHAPE: Shape = {
  title: 'a module of a scenario',
  required: ['app', 'module'],
  keys: {
    id: described('How later modules read its output: `{{2.email}}`. Default: its place, from 1 on.', COUNT),
    app: described('Name of the app.', WORD),
    module: described('Name of the module.', WORD),
    connection: described('Name a connection is kept under.', WORD),
    parameters: described('What its form is filled in with; texts are templates.', OBJECT),
    filter: described('Whether a bundle goes on into this module: a template.', {
      types: ['string', 'boolean'],
    }),
    onError: described(
      'What is done about an error of it.',
      { types: ['string', 'object'], shape: HANDLER_SHAPE },
      HANDLERS,
    ),
  },
};

/** The webhook that starts a scenario. */
export const WEBHOOK_SHAPE: Shape = {
  title: 'the webhook of a scenario',
  required: ['app', 'webhook'],
  keys: {
    app: described('Name of the app.', WORD),
    webhook: described('Name of its webhook.', WORD),
    connection: described('Name a connection is kept under.', WORD),
    uid: described('Of a shared webhook: who the user is to the service.', WORD),
    parameters: described('What the form of the webhook is filled in with.', OBJECT),
  },
};

const SETTINGS_ABOUT: Readonly<Record<keyof typeof DEFAULT_SETTINGS, string>> = {
  scheduling:
    '`timed`: every so often; `instant`: when an event comes in. It follows from the rest of the scenario.',
  sequential:
    'One run after the other, and none while an incomplete execution is unresolved. Default: false.',
  storeIncomplete: 'Whether bundles that fail are kept as incomplete executions. Default: false.',
  dataLoss: 'Whether a bundle may be dropped where there is no room to keep it. Default: false.',
  autoCommit: 'Whether each bundle of the first module is committed by itself. Default: true.',
  maxErrors: 'Errors in a row that turn the scenario off. Default: 3.',
  instantMaxErrors: 'The same for instant scheduling. Default: maxErrors.',
  instantRateLimit: 'What a RateLimitError does under instant scheduling. Default: suspend.',
  minRetryAfterMs: 'The least a Retry-After suspends for, in milliseconds. Default: 1000.',
  maxRetryAfterMs: 'The most it suspends for; 0 follows none. Default: a day.',
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
export const SCENARIO_SHAPE: Shape = {
  title: 'a scenario',
  required: ['name'],
  keys: {
    name: described('Tells it from the others of the file.', WORD),
    webhook: described('Starts it with each call of a webhook.', only(WEBHOOK_SHAPE)),
    everyMinutes: described('Starts it every so many minutes.', NUMBER),
    cron: described('Starts it by a calendar: `minute hour day month weekday`.', WORD),
    timezone: described('The zone the calendar is meant in, such as `Europe/Prague`. Default: UTC.', WORD),
    ordered: described(
      'Whether events are processed one after the other, in the order they came. Default: false.',
      YES_NO,
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
    $schema: described('Address of the schema of this file.', WORD),
    scenarios: described('The scenarios.', { types: ['array'], each: true, shape: SCENARIO_SHAPE }),
  },
};
