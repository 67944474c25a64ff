import {
  ANYTHING,
  described,
  FLAG,
  type KeyShape,
  NUMBER,
  only,
  type Shape,
} from '../../document/shapes/shape.js';
import { PARAMETER_TYPES } from '../../parameters/form/parameter-spec.js';

const WORD: KeyShape = { types: ['string'] };
const YES_NO: KeyShape = { types: ['boolean'] };

/** Fields, one field, or the address of an RPC that gives them. The shape of a field holds itself. */
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
  label: described('What the form shows.', WORD),
  short: described('What the form shows where there is little room.', WORD),
  value: described('What the parameter holds when this is chosen.'),
  default: described('Whether it is chosen where nothing else is.', YES_NO),
  nested: fields('Fields shown while it is chosen.'),
};

const OPTION_SHAPE: Shape = {
  title: 'an option',
  isOpen: true,
  keys: {
    ...OPTION_KEYS,
    options: {
      about: 'The options of a group, whose label stands above them.',
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
    label: described('Member of an option that holds its label. Default: label.', WORD),
    value: described('Member of an option that holds its value. Default: value.', WORD),
    nested: fields('Fields shown with any option that brings none of its own.'),
    placeholder: described('What is shown while nothing is chosen.', {
      types: ['object', 'string'],
      shape: {
        title: 'a placeholder',
        isOpen: true,
        keys: { label: described('What the form shows.', WORD), nested: fields('Fields shown meanwhile.') },
      },
    }),
    operators: described('Of a filter: its operators. Default: those of the platform.', {
      types: ['array'],
      each: true,
      shape: OPTION_SHAPE,
    }),
    logic: described('Of a filter: whether it has only `and`, or only `or`. Default: both.', WORD, [
      'and',
      'or',
    ]),
    ids: described('Of a file or folder: whether paths are made of ids.', YES_NO),
    showRoot: described('Of a file or folder: whether the root is shown.', YES_NO),
    singleLevel: described('Of a file or folder: whether there are no folders below.', YES_NO),
  },
};

const VALIDATE_SHAPE: Shape = {
  title: 'validate',
  isOpen: true,
  keys: {
    min: described('Least value of a number, or length of a text.', NUMBER),
    max: described('Greatest value of a number, or length of a text.', NUMBER),
    minItems: described('Least number of items of a list.', NUMBER),
    maxItems: described('Greatest number of items of a list.', NUMBER),
    pattern: described('A regular expression the text has to match.', { types: ['string', 'object'] }),
    enum: described('The values that are allowed.', { types: ['array'] }),
    past: described('Of a date: false refuses dates before now.', YES_NO),
    unique: described('Of a list: whether its items have to differ, or `by` which member.', {
      types: ['boolean', 'object'],
    }),
  },
};

/**
 * A field of a form, an interface or an RPC. The platform knows keys besides, which matter on screen only.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/parameters [doc]; what is read is in read-parameters.ts.
 */
const FIELD_SHAPE: Shape = {
  title: 'a field',
  isOpen: true,
  keys: {
    name: described('The key in `parameters`, or the member of a bundle.', WORD),
    type: described(
      'What the field holds; `account:`, `hook:` and the like may name what may be chosen.',
      WORD,
      PARAMETER_TYPES,
    ),
    label: described('What the form shows. Default: the name.', WORD),
    help: described('What the form says of it. Markdown.', WORD),
    required: described('Whether it has to be filled in. Default: false.', FLAG),
    default: described('What it holds until somebody changes it.'),
    advanced: described('Whether it is shown with the advanced settings only. Default: false.', YES_NO),
    disabled: described('Whether nobody can change it.', FLAG),
    visible: described('Whether it is shown: true, false or a condition.', FLAG),
    multiple: described('Whether several values can be chosen: then it holds a list.', YES_NO),
    mappable: described('Whether data of other modules can be put there.', { types: ['boolean', 'object'] }),
    editable: described('Whether a value that is no option can be written.', {
      types: ['boolean', 'object'],
    }),
    multiline: described('Whether a text has several lines.', YES_NO),
    grouped: described('Whether options come in groups.', YES_NO),
    sort: described('How options are sorted.', WORD, ['text', 'number']),
    sequence: described('Whether members keep the order of `spec`.', YES_NO),
    time: described('Of a date: whether it has a time of day. Default: true.', YES_NO),
    tags: described('Of a text: what becomes of HTML tags.', WORD, ['strip', 'stripall', 'escape']),
    codepage: described('Of a buffer: how a text is encoded.', WORD),
    extension: described('Of a file name: the extensions that are allowed.', { types: ['string', 'array'] }),
    semantic: described('What the value is: `file:name` and `file:data` are filled together.', WORD),
    pattern: described('A regular expression the text has to match.', { types: ['string', 'object'] }),
    validate: described('What is checked; false checks nothing but type and required.', {
      types: ['boolean', 'object'],
      shape: VALIDATE_SHAPE,
    }),
    spec: fields('Fields of a collection; of an array, those of its items, or one field for plain items.'),
    options: described('Of a select: a list, `rpc://name`, or an object with `store`.', {
      types: ['array', 'string', 'object'],
      shape: CHOICES_SHAPE,
    }),
    nested: fields('Fields shown beside it while it has a value; `rpc://name` asks for them.'),
    reversedNested: described('Of a boolean: whether `nested` is shown while it is false.', YES_NO),
    rpc: described('A button that asks an RPC: `label`, `url` and the parameters of its form.', {
      types: ['object'],
      shape: {
        title: 'rpc',
        isOpen: true,
        keys: {
          label: described('What the button says.', WORD),
          url: described('`rpc://name`', WORD),
          parameters: fields('What is asked before.'),
        },
      },
    }),
    labels: described(
      'Of an array: what its buttons say.',
      only({
        title: 'labels',
        isOpen: true,
        keys: {
          add: described('What the button says that adds an item.', ANYTHING),
          edit: described('What the button says that changes one.', ANYTHING),
        },
      }),
    ),
  },
};

/** A form: fields, and addresses of RPCs that give fields. */
export const FORM_RULE: KeyShape = fields('Fields of a form, or `rpc://name` where an RPC gives them.');
