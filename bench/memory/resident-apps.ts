import type { Gauge } from '../gauge.js';
import { TEMPLATES_PER_APP } from './apps.js';
import { measureApart } from './measure-apart.js';

const APPS = 1000;

const HOLD_APPS: URL = new URL('./hold-apps.js', import.meta.url);
const HOLD_JSONATA: URL = new URL('./hold-jsonata.js', import.meta.url);

/** Smaller runs hold fewer apps and extrapolate their memory. */
export const RESIDENT_APPS: Gauge = {
  name: `J4 ${APPS} apps of ${TEMPLATES_PER_APP} templates, ready to run`,
  floor: 45,
  target: 50,
  unit: 'MB',
  run: async ({ rounds }) => {
    const count = rounds > 2 ? APPS : APPS / 20;
    const peers = count / 10;
    return [
      {
        name: 'iml-runtime',
        value: ((await measureApart(HOLD_APPS, [count])) * APPS) / count,
        isOurs: true,
      },
      {
        name: 'jsonata, expressions only',
        value: ((await measureApart(HOLD_JSONATA, [peers])) * APPS) / peers,
        isOurs: false,
      },
    ];
  },
};
