import { CHECK_PARAMETERS, START } from '../../component/input-shapes.js';
import { STORE_SHAPE } from '../../connection/connection-shapes.js';
import {
  ANYTHING,
  DATA,
  FUNCTION,
  oneOf,
  portOf,
  type Shape,
  type Shapes,
  TEXT,
  TEXTS,
  wholeNumber,
  YES_OR_NO,
} from '../../errors/check-given.js';

import { TRANSPORT_SHAPES } from '../../http/transport/undici-transport.js';
import { MAX_LOOK_AHEAD } from '../../run/limits/limits.js';
import type { EngineOptions } from './create-engine.js';
import type { NetworkOptions } from './engine-transport.js';

const APP: Shape = {
  expected: 'an app, as loadApp and defineApp give it',
  fits: (value) => {
    const { modules, connections, functions } = Object(value);
    return [modules, connections, functions].every((components) => components instanceof Map);
  },
};

/** What the options of an engine may be. Figures of limits, and entries of hosts, are looked at where they are read. */
export const ENGINE_SHAPES: Shapes<EngineOptions> = {
  app: APP,
  transport: FUNCTION,
  wrapTransport: FUNCTION,
  network: DATA,
  hosts: DATA,
  baseUrl: TEXT,
  clock: portOf('now', 'sleep', 'after'),
  limits: DATA,
  budget: DATA,
  lookAhead: wholeNumber(1, MAX_LOOK_AHEAD),
  webhookLimits: DATA,
  common: ANYTHING,
  environment: DATA,
  onPageLoop: oneOf('warn', 'stop', 'error'),
  triggerStart: START,
  trace: oneOf('summary', 'full', 'deep'),
  onTrace: FUNCTION,
  observer: portOf('onDirective', 'onDecision'),
  checkParameters: CHECK_PARAMETERS,
  connections: STORE_SHAPE,
  trustFunctions: YES_OR_NO,
  sharedFunctions: FUNCTION,
  random: FUNCTION,
  uuid: FUNCTION,
  timezone: TEXT,
  equality: oneOf('strict', 'loose'),
  platformVersion: oneOf(1, 2),
  digest: FUNCTION,
};

/** What the options of the default transport may be. */
export const NETWORK_SHAPES: Shapes<NetworkOptions> = {
  allow: TEXTS,
  hosts: oneOf('any', 'declared'),
  appHosts: TEXTS,
  crossHostSecrets: oneOf('withhold', 'send'),
  ...TRANSPORT_SHAPES,
};
