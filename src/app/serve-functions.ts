/** What the thread of custom functions runs: an entry of its own, see `FUNCTION_THREAD`. */

import { serveCalls } from '../sandbox/thread/serve-calls.js';
import { APP_FUNCTIONS } from './engine/app-functions.js';

await serveCalls(APP_FUNCTIONS);
