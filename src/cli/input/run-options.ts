import { inGroup, type OptionSpecs } from '../command.js';
import { RECORD_OPTIONS } from '../recording/record-settings.js';
import { CHECK_OPTIONS, INPUT_OPTIONS } from './component-input.js';
import { ENGINE_OPTIONS, TRACE_FILE_OPTION, TRACE_OPTIONS } from './engine-options.js';
import { OUTPUT_OPTIONS, SAVE_OPTION } from './output-options.js';

/** The options of `iml run`. */
export const RUN_OPTIONS: OptionSpecs = {
  ...inGroup('Input', {
    ...INPUT_OPTIONS,
    payload: { value: 'JSON|@FILE', help: 'Payload of an instant trigger: an item of its webhook.' },
    start: {
      value: 'all|DATE|ID',
      help: 'Start of a polling trigger without state: all, a date, or the ID of an item (see iml epoch). Default: now (date) or newest (id).',
    },
    state: {
      value: 'FILE',
      help: 'State file of a polling trigger: read before the run, written after it.',
    },
    data: { value: 'JSON|@FILE', help: 'State of a polling trigger, for one run.' },
    ...CHECK_OPTIONS,
  }),
  limit: { group: 'Output', short: 'n', value: 'N', help: 'Stops after N bundles.' },
  ...OUTPUT_OPTIONS,
  ...SAVE_OPTION,
  ...RECORD_OPTIONS,
  ...TRACE_OPTIONS,
  ...TRACE_FILE_OPTION,
  ...ENGINE_OPTIONS,
};
