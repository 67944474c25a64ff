import { CHECK_PARAMETERS, START } from '../../component/input-shapes.js';
import { STORE_SHAPE } from '../../connection/connection-shapes.js';
import {
  ANY_TEXT,
  ANY_VALUE,
  BYTES,
  DATA,
  FUNCTION,
  type GivenShape,
  type GivenShapes,
  oneOfChoices,
  portWith,
  TEXT_LIST,
  YES_OR_NO,
} from '../../errors/check-options.js';
import { TRANSPORT_SHAPES } from '../../http/transport/undici-transport.js';
import type { EngineOptions } from './engine-options.js';
import type { NetworkOptions } from './engine-transport.js';

const APP: GivenShape = {
  expected: 'an app, as loadApp and defineApp give it',
  fits: (value) => {
    const { modules, connections, functions } = Object(value);
    return [modules, connections, functions].every((components) => components instanceof Map);
  },
};

/** What the options of an engine may be. Figures of limits, and entries of hosts, are looked at where they are read. */
export const ENGINE_SHAPES: GivenShapes<EngineOptions> = {
  app: APP,
  transport: FUNCTION,
  wrapTransport: FUNCTION,
  network: DATA,
  hosts: DATA,
  baseUrl: ANY_TEXT,
  clock: portWith(['now', 'sleep', 'after']),
  limits: DATA,
  budget: DATA,
  webhookLimits: DATA,
  common: ANY_VALUE,
  environment: DATA,
  onPageLoop: oneOfChoices('warn', 'stop', 'error'),
  triggerStart: START,
  trace: oneOfChoices('summary', 'full', 'deep'),
  onTrace: FUNCTION,
  observer: portWith(['onDirective', 'onDecision']),
  checkParameters: CHECK_PARAMETERS,
  connections: STORE_SHAPE,
  trustFunctions: YES_OR_NO,
  quickJsWasm: BYTES,
  sharedFunctions: FUNCTION,
  random: FUNCTION,
  uuid: FUNCTION,
  timezone: ANY_TEXT,
  semantics: oneOfChoices('runtime', 'documented'),
  platformVersion: oneOfChoices(1, 2),
  digest: FUNCTION,
};

/** What the options of the default transport may be. */
export const NETWORK_SHAPES: GivenShapes<NetworkOptions> = {
  allow: TEXT_LIST,
  hosts: oneOfChoices('any', 'declared'),
  appHosts: TEXT_LIST,
  crossHostSecrets: oneOfChoices('withhold', 'send'),
  ...TRANSPORT_SHAPES,
};
