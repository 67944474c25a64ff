import {
  ANY_BOOLEAN,
  ANY_FUNCTION,
  ANY_OBJECT,
  ANY_TEXT,
  ANY_VALUE,
  BYTES,
  type OptionShape,
  type OptionShapes,
  objectWithFunctions,
  oneOfChoices,
  TEXT_LIST,
} from '../shared/errors/check-options.js';
import { CHECK_PARAMETERS, START } from './component/input-shapes.js';
import { STORE_SHAPE } from './connection/connection-input.js';
import type { EngineOptions } from './engine-options.js';
import type { NetworkOptions } from './engine-transport.js';
import { TRANSPORT_SHAPES } from './http/undici-transport.js';

const APP: OptionShape = {
  expected: 'an app, as loadApp and defineApp give it',
  fits: (value) => {
    const { modules, connections, functions } = Object(value);
    return [modules, connections, functions].every((components) => components instanceof Map);
  },
};

/** Valid options of an engine. Limits and hosts are checked separately. */
export const ENGINE_SHAPES: OptionShapes<EngineOptions> = {
  app: APP,
  transport: ANY_FUNCTION,
  wrapTransport: ANY_FUNCTION,
  network: ANY_OBJECT,
  hosts: ANY_OBJECT,
  baseUrl: ANY_TEXT,
  clock: objectWithFunctions(['now', 'sleep', 'after']),
  limits: ANY_OBJECT,
  budget: ANY_OBJECT,
  webhookLimits: ANY_OBJECT,
  common: ANY_VALUE,
  environment: ANY_OBJECT,
  onPageLoop: oneOfChoices('warn', 'stop', 'error'),
  triggerStart: START,
  trace: oneOfChoices('summary', 'full', 'deep'),
  onTrace: ANY_FUNCTION,
  observer: objectWithFunctions(['onDirective', 'onDecision']),
  checkParameters: CHECK_PARAMETERS,
  connections: STORE_SHAPE,
  trustFunctions: ANY_BOOLEAN,
  quickJsWasm: BYTES,
  sharedFunctions: ANY_FUNCTION,
  random: ANY_FUNCTION,
  uuid: ANY_FUNCTION,
  timezone: ANY_TEXT,
  semantics: oneOfChoices('runtime', 'documented'),
  platformVersion: oneOfChoices(1, 2),
  digest: ANY_FUNCTION,
};

/** Valid options of the default transport. */
export const NETWORK_SHAPES: OptionShapes<NetworkOptions> = {
  allow: TEXT_LIST,
  hosts: oneOfChoices('any', 'declared'),
  appHosts: TEXT_LIST,
  crossHostSecrets: oneOfChoices('withhold', 'send'),
  ...TRANSPORT_SHAPES,
};
