import {
  ANYTHING,
  FLAG,
  type KeyShape,
  NUMBER,
  only,
  type Shape,
  told,
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
  label: told('What the form shows.', WORD),
  short: told('What the form shows where there is little room.', WORD),
  value: told('What the parameter holds when this is chosen.'),
  default: told('Whether it is chosen where nothing else is.', YES_NO),
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
    store: told('The options: a list, or `rpc://name`.', {
      types: ['array', 'string'],
      each: true,
      shape: OPTION_SHAPE,
    }),
    label: told('Member of an option that holds its label. Default: label.', WORD),
    value: told('Member of an option that holds its value. Default: value.', WORD),
    nested: fields('Fields shown with any option that brings none of its own.'),
    placeholder: told('What is shown while nothing is chosen.', {
      types: ['object', 'string'],
      shape: {
        title: 'a placeholder',
        isOpen: true,
        keys: { label: told('What the form shows.', WORD), nested: fields('Fields shown meanwhile.') },
      },
    }),
    operators: told('Of a filter: its operators. Default: those of the platform.', {
      types: ['array'],
      each: true,
      shape: OPTION_SHAPE,
    }),
    logic: told('Of a filter: whether it has only `and`, or only `or`. Default: both.', WORD, ['and', 'or']),
    ids: told('Of a file or folder: whether paths are made of ids.', YES_NO),
    showRoot: told('Of a file or folder: whether the root is shown.', YES_NO),
    singleLevel: told('Of a file or folder: whether there are no folders below.', YES_NO),
  },
};

const VALIDATE_SHAPE: Shape = {
  title: 'validate',
  isOpen: true,
  keys: {
    min: told('Least value of a number, or length of a text.', NUMBER),
    max: told('Greatest value of a number, or length of a text.', NUMBER),
    minItems: told('Least number of items of a list.', NUMBER),
    maxItems: told('Greatest number of items of a list.', NUMBER),
    pattern: told('A regular expression the text has to match.', { types: ['string', 'object'] }),
    enum: told('The values that are allowed.', { types: ['array'] }),
    past: told('Of a date: false refuses dates before now.', YES_NO),
    unique: told('Of a list: whether its items have to differ, or `by` which member.', {
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
    name: told('The key in `parameters`, or the member of a bundle.', WORD),
    type: told(
      'What the field holds; `account:`, `hook:` and the like may name what may be chosen.',
      WORD,
      PARAMETER_TYPES,
    ),
    label: told('What the form shows. Default: the name.', WORD),
    help: told('What the form says of it. Markdown.', WORD),
    required: told('Whether it has to be filled in. Default: false.', FLAG),
    default: told('What it holds until somebody changes it.'),
    advanced: told('Whether it is shown with the advanced settings only. Default: false.', YES_NO),
    disabled: told('Whether nobody can change it.', FLAG),
    visible: told('Whether it is shown: true, false or a condition.', FLAG),
    multiple: told('Whether several values can be chosen: then it holds a list.', YES_NO),
    mappable: told('Whether data of other modules can be put there.', { types: ['boolean', 'object'] }),
    editable: told('Whether a value that is no option can be written.', { types: ['boolean', 'object'] }),
    multiline: told('Whether a text has several lines.', YES_NO),
    grouped: told('Whether options come in groups.', YES_NO),
    sort: told('How options are sorted.', WORD, ['text', 'number']),
    sequence: told('Whether members keep the order of `spec`.', YES_NO),
    time: told('Of a date: whether it has a time of day. Default: true.', YES_NO),
    tags: told('Of a text: what becomes of HTML tags.', WORD, ['strip', 'stripall', 'escape']),
    codepage: told('Of a buffer: how a text is encoded.', WORD),
    extension: told('Of a file name: the extensions that are allowed.', { types: ['string', 'array'] }),
    semantic: told('What the value is: `file:name` and `file:data` are filled together.', WORD),
    pattern: told('A regular expression the text has to match.', { types: ['string', 'object'] }),
    validate: told('What is checked; false checks nothing but type and required.', {
      types: ['boolean', 'object'],
      shape: VALIDATE_SHAPE,
    }),
    spec: fields('Fields of a collection; of an array, those of its items, or one field for plain items.'),
    options: told('Of a select: a list, `rpc://name`, or an object with `store`.', {
      types: ['array', 'string', 'object'],
      shape: CHOICES_SHAPE,
    }),
    nested: fields('Fields shown beside it while it has a value; `rpc://name` asks for them.'),
    reversedNested: told('Of a boolean: whether `nested` is shown while it is false.', YES_NO),
    rpc: told('A button that asks an RPC: `label`, `url` and the parameters of its form.', {
      types: ['object'],
      shape: {
        title: 'rpc',
        isOpen: true,
        keys: {
          label: told('What the button says.', WORD),
          url: told('`rpc://name`', WORD),
          parameters: fields('What is asked before.'),
        },
      },
    }),
    labels: told(
      'Of an array: what its buttons say.',
      only({
        title: 'labels',
        isOpen: true,
        keys: {
          add: told('What the button says that adds an item.', ANYTHING),
          edit: told('What the button says that changes one.', ANYTHING),
        },
      }),
    ),
  },
};

/** A form: fields, and addresses of RPCs that give fields. */
export const FORM_RULE: KeyShape = fields('Fields of a form, or `rpc://name` where an RPC gives them.');
