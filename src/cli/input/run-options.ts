import type { OptionSpec } from '../command.js';
import { RECORD_OPTIONS } from '../recording/record-settings.js';
import { CHECK_OPTIONS, INPUT_OPTIONS } from './component-input.js';
import { ENGINE_OPTIONS, TRACE_FILE_OPTION, TRACE_OPTIONS } from './engine-options.js';
import { OUTPUT_OPTIONS, SAVE_OPTION } from './output-options.js';

/** The options of `iml run`. */
export const RUN_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  ...INPUT_OPTIONS,
  payload: { value: 'JSON|@FILE', help: 'The webhook item an instant trigger works on.' },
  start: {
    value: 'all|DATE|ID',
    help: 'Where a polling trigger without state starts: with all there is, a date, or the item of an id (iml epoch lists them); now and newest are the defaults.',
  },
  state: {
    value: 'FILE',
    help: 'Where a polling trigger stands: read before the run where the file is there, written after it.',
  },
  data: { value: 'JSON|@FILE', help: 'The same as data, for one run.' },
  ...CHECK_OPTIONS,
  limit: { short: 'n', value: 'N', help: 'Stops after N bundles, and asks for no further page.' },
  ...OUTPUT_OPTIONS,
  ...SAVE_OPTION,
  ...RECORD_OPTIONS,
  ...TRACE_OPTIONS,
  ...TRACE_FILE_OPTION,
  ...ENGINE_OPTIONS,
};
