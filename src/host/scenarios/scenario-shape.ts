import { FREE_OBJECT, type KeyShape, NUMBER, only, type Shape, told } from '../../document/shapes/shape.js';
import { DEFAULT_SETTINGS } from '../../scenario/state/scenario-settings.js';

const WORD: KeyShape = { types: ['string'] };
const COUNT: KeyShape = { types: ['number'] };
const YES_NO: KeyShape = { types: ['boolean'] };
const OBJECT: KeyShape = { types: ['object'] };

/** What may be done about an error of a module. */
export const HANDLERS = ['ignore', 'resume', 'commit', 'rollback', 'break'] as const;

/** `"ignore"`, or an object with what goes with it. */
export const HANDLER_SHAPE: Shape = {
  title: 'an error handler',
  required: ['kind'],
  keys: {
    kind: told('What is done about the error.', WORD, HANDLERS),
    output: told('Of resume: what the module is taken to have given.'),
    automatic: told('Of break: whether it is tried again by itself. Default: true.', YES_NO),
    attempts: told('Of break: how often.', COUNT),
    intervalMs: told('Of break: how long to wait between, in milliseconds.', COUNT),
  },
};

/** A module at its place in a scenario. */
export const STEP_SHAPE: Shape = {
  title: 'a module of a scenario',
  required: ['app', 'module'],
  keys: {
    id: told('How later modules read its output: `{{2.email}}`. Default: its place, from 1 on.', COUNT),
    app: told('Name of the app.', WORD),
    module: told('Name of the module.', WORD),
    connection: told('Name a connection is kept under.', WORD),
    parameters: told('What its form is filled in with; texts are templates.', OBJECT),
    filter: told('Whether a bundle goes on into this module: a template.', { types: ['string', 'boolean'] }),
    onError: told(
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
    app: told('Name of the app.', WORD),
    webhook: told('Name of its webhook.', WORD),
    connection: told('Name a connection is kept under.', WORD),
    uid: told('Of a shared webhook: who the user is to the service.', WORD),
    parameters: told('What the form of the webhook is filled in with.', OBJECT),
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
      told(SETTINGS_ABOUT[name as keyof typeof SETTINGS_ABOUT], { types: [typeof value as 'string'] }),
    ]),
  ),
};

/** A scenario. */
export const SCENARIO_SHAPE: Shape = {
  title: 'a scenario',
  required: ['name'],
  keys: {
    name: told('Tells it from the others of the file.', WORD),
    webhook: told('Starts it with each call of a webhook.', only(WEBHOOK_SHAPE)),
    everyMinutes: told('Starts it every so many minutes.', NUMBER),
    cron: told('Starts it by a calendar: `minute hour day month weekday`.', WORD),
    timezone: told('The zone the calendar is meant in, such as `Europe/Prague`. Default: UTC.', WORD),
    ordered: told(
      'Whether events are processed one after the other, in the order they came. Default: false.',
      YES_NO,
    ),
    settings: told('How it runs.', { ...FREE_OBJECT, shape: SETTINGS_SHAPE }),
    modules: told('The modules, in order.', { types: ['array'], each: true, shape: STEP_SHAPE }),
  },
};

/** A file of scenarios, as `iml serve --scenarios` takes it. */
export const SCENARIO_FILE_SHAPE: Shape = {
  title: 'a file of scenarios',
  required: ['scenarios'],
  keys: {
    $schema: told('Address of the schema of this file.', WORD),
    scenarios: told('The scenarios.', { types: ['array'], each: true, shape: SCENARIO_SHAPE }),
  },
};
