import { ANYTHING, described, FLAG, type KeyShape, NUMBER, only, type Shape } from '../document/shape.js';
import { PARAMETER_TYPES } from './parameter-spec.js';

const WORD: KeyShape = { types: ['string'] };
const YES_NO: KeyShape = { types: ['boolean'] };

/** Fields, one field, or the address of an RPC that returns fields. The shape is recursive. */
function fields(about: string): KeyShape {
  return {
    about,
    types: ['array', 'object', 'string'],
    each: true,
    orTexts: true,
    get shape() {
      return FIELD_SHAPE;
    },
  };
}

const OPTION_KEYS: Readonly<Record<string, KeyShape>> = {
  label: described('Label in the form.', WORD),
  short: described('Short label.', WORD),
  value: described('Value of the parameter if this option is chosen.'),
  default: described('Whether this option is the default.', YES_NO),
  nested: fields('Fields shown while this option is chosen.'),
};

const OPTION_SHAPE: Shape = {
  title: 'an option',
  isOpen: true,
  keys: {
    ...OPTION_KEYS,
    options: {
      about: 'Options of a group.',
      types: ['array'],
      each: true,
      get shape() {
        return OPTION_SHAPE;
      },
    },
  },
};

const CHOICES_SHAPE: Shape = {
  title: 'options',
  isOpen: true,
  keys: {
    store: described('The options: a list, or `rpc://name`.', {
      types: ['array', 'string'],
      each: true,
      shape: OPTION_SHAPE,
    }),
    label: described('Member with the label of an option. Default: label.', WORD),
    value: described('Member with the value of an option. Default: value.', WORD),
    nested: fields('Fields shown with options that have no nested fields of their own.'),
    placeholder: described('Placeholder shown while no option is chosen.', {
      types: ['object', 'string'],
      shape: {
        title: 'a placeholder',
        isOpen: true,
        keys: {
          label: described('Label in the form.', WORD),
          nested: fields('Fields shown with the placeholder.'),
        },
      },
    }),
    operators: described('Filters only: operators. Default: those of the platform.', {
      types: ['array'],
      each: true,
      shape: OPTION_SHAPE,
    }),
    logic: described('Filters only: restricts the logic to `and` or `or`. Default: both.', WORD, [
      'and',
      'or',
    ]),
    ids: described('Files and folders only: whether paths consist of ids.', YES_NO),
    showRoot: described('Files and folders only: whether to show the root.', YES_NO),
    singleLevel: described('Files and folders only: whether there are no subfolders.', YES_NO),
  },
};

const VALIDATE_SHAPE: Shape = {
  title: 'validate',
  isOpen: true,
  keys: {
    min: described('Smallest number, or shortest text.', NUMBER),
    max: described('Largest number, or longest text.', NUMBER),
    minItems: described('Smallest number of items.', NUMBER),
    maxItems: described('Largest number of items.', NUMBER),
    pattern: described('A regular expression that the text must match.', { types: ['string', 'object'] }),
    enum: described('Allowed values.', { types: ['array'] }),
    past: described('Dates only: false rejects dates in the past.', YES_NO),
    unique: described('Lists only: whether items must be unique, or unique `by` a member.', {
      types: ['boolean', 'object'],
    }),
  },
};

/**
 * A field of a form, an interface or an RPC. Open, as the platform has further keys that affect display only. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/parameters [doc]; read-parameters.ts reads
 * it.
 */
const FIELD_SHAPE: Shape = {
  title: 'a field',
  isOpen: true,
  keys: {
    name: described('Name in `parameters` or in a bundle.', WORD),
    type: described(
      'Type of the value. `account:`, `hook:` and similar types may name the allowed kinds.',
      WORD,
      PARAMETER_TYPES,
    ),
    label: described('Label in the form. Default: the name.', WORD),
    help: described('Help text in Markdown.', WORD),
    required: described('Whether a value is required. Default: false.', FLAG),
    default: described('Default value.'),
    advanced: described('Whether the field is an advanced setting. Default: false.', YES_NO),
    disabled: described('Whether the field is read-only.', FLAG),
    visible: described('Whether the field is shown: true, false or a condition.', FLAG),
    multiple: described('Whether several values can be chosen. If so, the value is a list.', YES_NO),
    mappable: described('Whether data of other modules can be mapped.', { types: ['boolean', 'object'] }),
    editable: described('Whether values beyond the options are allowed.', {
      types: ['boolean', 'object'],
    }),
    multiline: described('Whether a text has several lines.', YES_NO),
    grouped: described('Whether options are grouped.', YES_NO),
    sort: described('How options are sorted.', WORD, ['text', 'number']),
    sequence: described('Whether members keep the order of `spec`.', YES_NO),
    time: described('Dates only: whether there is a time of day. Default: true.', YES_NO),
    tags: described('Texts only: how to treat HTML tags.', WORD, ['strip', 'stripall', 'escape']),
    codepage: described('Buffers only: text encoding.', WORD),
    extension: described('File names only: allowed extensions.', { types: ['string', 'array'] }),
    semantic: described('Meaning of the value. `file:name` and `file:data` are mapped together.', WORD),
    pattern: described('A regular expression that the text must match.', { types: ['string', 'object'] }),
    validate: described('Constraints. False checks type and required only.', {
      types: ['boolean', 'object'],
      shape: VALIDATE_SHAPE,
    }),
    spec: fields(
      'Fields of a collection. For an array, the fields of its items, or one field for plain items.',
    ),
    options: described('Options of a select: a list, `rpc://name`, or an object with `store`.', {
      types: ['array', 'string', 'object'],
      shape: CHOICES_SHAPE,
    }),
    nested: fields('Fields shown while the field has a value; `rpc://name` loads them.'),
    reversedNested: described('Booleans only: shows `nested` while the value is false.', YES_NO),
    rpc: described('A button that calls an RPC: `label`, `url` and the parameters of its form.', {
      types: ['object'],
      shape: {
        title: 'rpc',
        isOpen: true,
        keys: {
          label: described('Label of the button.', WORD),
          url: described('`rpc://name`', WORD),
          parameters: fields('Form shown before the call.'),
        },
      },
    }),
    labels: described(
      'Arrays only: labels of the buttons.',
      only({
        title: 'labels',
        isOpen: true,
        keys: {
          add: described('Label of the button that adds an item.', ANYTHING),
          edit: described('Label of the button that edits an item.', ANYTHING),
        },
      }),
    ),
  },
};

/** A form: fields, and addresses of RPCs that return fields. */
export const FORM_RULE: KeyShape = fields('Fields of a form, or `rpc://name` of an RPC that returns them.');
