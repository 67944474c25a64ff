import type { ModuleComponent } from '../../../../engine/document/app.js';
import { childPointer } from '../../../../shared/errors/source-location.js';
import { isPlainObject, ownMember } from '../../../../shared/plain-object.js';
import { ADVICE, official, type Rule } from '../../rule.js';
import { isForm, listFields, type WrittenField } from '../../subject/form-fields.js';
import { isEmpty, listModules, locateModule, textOf } from '../../subject/review-subject.js';
import { locate } from '../../subject/walk-requests.js';

const LABELS = 'best-practices/naming-conventions/modules/module-labels';

export const FORM_REVIEW: readonly Rule[] = [
  {
    id: 'module-label',
    area: 'forms',
    level: 'warning',
    summary: 'The label of a module does not follow the conventions.',
    why: 'Labels are in sentence case. Triggers start with "Watch", searches with "List" or "Search". "Get", "Create", "Update" and "Delete" are followed by "a" or "an".',
    bad: '"Get User Data"',
    good: '"Get a user"',
    review: official(LABELS),
    check: (subject, report) => {
      for (const module of listModules(subject)) {
        const message = judgeLabel(module);
        if (message !== undefined) report({ message, place: locateModule(module) });
      }
    },
  },
  {
    id: 'create-or-update',
    area: 'forms',
    level: 'info',
    summary: 'A label says "upsert".',
    why: 'Users without knowledge of databases do not know the word.',
    bad: '"Upsert a contact"',
    good: '"Create or update a contact"',
    review: ADVICE,
    check: (subject, report) => {
      for (const module of listModules(subject)) {
        if (!/\bupsert/i.test(module.label ?? '')) continue;
        report({ message: 'Write "Create or update" instead of "Upsert".', place: locateModule(module) });
      }
    },
  },
  {
    id: 'module-description',
    area: 'forms',
    level: 'warning',
    summary: 'A module has no description.',
    why: 'The description stands below the label when users choose a module.',
    bad: '"description": ""',
    good: '"description": "Returns a user by ID."',
    review: official('best-practices/naming-conventions/modules'),
    check: (subject, report) => {
      for (const module of listModules(subject)) {
        if ((module.description ?? '').trim() !== '') continue;
        report({ message: `The module "${module.name}" has no description.`, place: locateModule(module) });
      }
    },
  },
  {
    id: 'field-label',
    area: 'forms',
    level: 'warning',
    summary: 'The label of a field is long, ends with a full stop, or repeats the technical name.',
    why: 'A label has one to four words. Explanations belong into `help`.',
    bad: '{ "name": "user_id", "label": "user_id" }',
    good: '{ "name": "user_id", "label": "User ID" }',
    review: official('best-practices/naming-conventions'),
    check: (subject, report) => {
      for (const field of listFields(subject)) {
        const label = textOf(field.value, 'label');
        const name = textOf(field.value, 'name');
        const isName = label !== '' && label === name && /[a-z][A-Z]|_|^[a-z]/.test(label);
        const isLong = label.split(/\s+/).length > 6;
        if (!isName && !isLong && !/[^.]\.$/.test(label)) continue;
        const what = isName ? 'is the technical name' : isLong ? 'is too long' : 'ends with a full stop';
        report({ message: `The label "${label}" ${what}.`, place: locate(field, 'label') });
      }
    },
  },
  {
    id: 'limit-field',
    area: 'forms',
    level: 'warning',
    summary: 'The field `limit` of a search or trigger is not a `uinteger` with a default.',
    why: 'A missing or negative limit fails at the API. Without a default, users get all records.',
    bad: '{ "name": "limit", "type": "number" }',
    good: '{ "name": "limit", "type": "uinteger", "label": "Limit", "default": 10 }',
    review: official('best-practices/modules/search-modules'),
    check: (subject, report) => {
      for (const field of listFields(subject)) {
        const isOfModule = field.in.owner?.kind === 'module' && isForm(field.in);
        if (!isOfModule || textOf(field.value, 'name') !== 'limit' || field.list !== '') continue;
        const isNumber = ['uinteger', 'integer'].includes(textOf(field.value, 'type'));
        if (isNumber && ownMember(field.value, 'default') !== undefined) continue;
        const message = isNumber ? 'Add a default to the limit.' : 'The limit is a uinteger with a default.';
        report({ message, place: locate(field, 'type') });
      }
    },
  },
  {
    id: 'advanced-required',
    area: 'forms',
    level: 'error',
    summary: 'A required field is advanced and has no default.',
    why: 'Advanced fields are hidden at first, so users cannot see what is missing.',
    bad: '{ "name": "mode", "required": true, "advanced": true }',
    good: '{ "name": "mode", "required": true }',
    review: official('best-practices/input-parameters/mappable-parameters'),
    check: (subject, report) => {
      for (const field of listFields(subject)) {
        const isHidden =
          ownMember(field.value, 'advanced') === true && ownMember(field.value, 'required') === true;
        if (
          !isHidden ||
          ownMember(field.value, 'default') !== undefined ||
          field.in.owner?.kind === 'connection'
        )
          continue;
        const message = `"${textOf(field.value, 'name')}" is required, but hidden. Remove "advanced" or add a default.`;
        report({ message, place: locate(field, 'advanced') });
      }
    },
  },
  {
    id: 'advanced-not-nested',
    area: 'forms',
    level: 'warning',
    summary: 'A nested field is advanced.',
    why: 'The switch for advanced fields does not show fields inside of collections and arrays.',
    bad: '{ "type": "collection", "spec": [{ "name": "zip", "advanced": true }] }',
    good: '{ "type": "collection", "advanced": true, "spec": [{ "name": "zip" }] }',
    review: ADVICE,
    check: (subject, report) => {
      for (const field of listFields(subject)) {
        if (field.list === '' || ownMember(field.value, 'advanced') !== true || !isForm(field.in)) continue;
        report({
          message: `"${textOf(field.value, 'name')}" is nested and advanced.`,
          place: locate(field, 'advanced'),
        });
      }
    },
  },
  {
    id: 'date-type',
    area: 'forms',
    level: 'error',
    summary: 'A field for a date has the type `text`.',
    why: 'With the type `date`, users map dates of other modules, and the time zone of the scenario applies. Format the value in the request.',
    bad: '{ "name": "startDate", "type": "text" }',
    good: '{ "name": "startDate", "type": "date" }',
    review: official('https://docs.make.com/apps/best-practices/processing-of-input-parameters'),
    check: (subject, report) => {
      for (const field of listFields(subject)) {
        const isInput = isForm(field.in) && field.in.owner?.kind === 'module';
        const isText = textOf(field.value, 'type') === 'text' && DATE_NAME.test(textOf(field.value, 'name'));
        if (!isInput || !isText || isDateOnly(field)) continue;
        const message = `"${textOf(field.value, 'name')}" holds a date. Use the type date.`;
        report({ message, place: locate(field, 'type') });
      }
    },
  },
  {
    id: 'help-useful',
    area: 'forms',
    level: 'info',
    summary: 'The help of a field repeats the label, or says "e.g.".',
    why: 'Help tells more than the label. Examples start with "For example,".',
    bad: '{ "label": "User ID", "help": "User ID" }',
    good: '{ "label": "User ID", "help": "For example, `42`." }',
    review: ADVICE,
    check: (subject, report) => {
      const plain = (text: string): string => text.toLowerCase().replace(/^the |[^\p{L}\p{N}]/gu, '');
      for (const field of listFields(subject)) {
        const help = textOf(field.value, 'help');
        const repeats = help !== '' && plain(help) === plain(textOf(field.value, 'label'));
        if (!repeats && !/\be\.g\./i.test(help)) continue;
        const message = repeats ? 'The help repeats the label.' : 'Write "For example," instead of "e.g.".';
        report({ message, place: locate(field, 'help') });
      }
    },
  },
  {
    id: 'iml-in-form',
    area: 'forms',
    level: 'error',
    summary: 'A label, help or default of a mappable form is an expression.',
    why: 'The form shows the text as it is: expressions are evaluated in addresses of RPCs only.',
    bad: '{ "name": "id", "default": "{{parameters.other}}" }',
    good: '{ "name": "id" }',
    review: ADVICE,
    check: (subject, report) => {
      for (const field of listFields(subject)) {
        if (field.in.part !== 'mappableParams') continue;
        for (const key of ['label', 'help', 'default', 'type'] as const) {
          if (!/\{\{[^}]*\}\}/.test(textOf(field.value, key))) continue;
          report({
            message: `The form does not evaluate the expression in "${key}".`,
            place: locate(field, key),
          });
        }
      }
    },
  },
  {
    id: 'buffer-semantic',
    area: 'forms',
    level: 'warning',
    summary: 'A field of type `buffer` has no `semantic`.',
    why: 'With `file:data` and `file:name`, users map a whole file in one step.',
    bad: '{ "name": "data", "type": "buffer" }',
    good: '{ "name": "data", "type": "buffer", "semantic": "file:data" }',
    review: official('component-blocks/api/multipart-form-data'),
    check: (subject, report) => {
      for (const field of listFields(subject)) {
        if (textOf(field.value, 'type') !== 'buffer' || textOf(field.value, 'semantic') !== '') continue;
        report({ message: 'Add "semantic": "file:data".', place: locate(field, 'type') });
      }
    },
  },
  {
    id: 'wide-collection',
    area: 'forms',
    level: 'info',
    summary: 'An interface has more than 40 fields on one level.',
    why: 'Users search long lists. Group what belongs together.',
    bad: 'interface: 41 fields',
    good: 'interface: fields in collections',
    review: ADVICE,
    check: (subject, report) => {
      for (const { interface: fields } of listModules(subject)) {
        if (fields === undefined || !Array.isArray(fields.value) || fields.value.length <= 40) continue;
        report({
          message: `The interface has ${fields.value.length} fields on one level.`,
          place: fields.locationOf(''),
        });
      }
    },
  },
  {
    id: 'groups-order',
    area: 'forms',
    level: 'info',
    summary: 'The groups of modules do not start with the triggers, or one has a single module.',
    why: 'Users find triggers first, then the objects of the API. "Other" comes last.',
    bad: '[{ "label": "Other", "modules": ["call"] }, { "label": "Triggers", "modules": ["watch", "watchNew"] }]',
    good: '[{ "label": "Triggers", "modules": ["watch", "watchNew"] }, { "label": "Other", "modules": ["call"] }]',
    review: ADVICE,
    check: ({ app }, report) => {
      const { groups } = app;
      if (groups === undefined || !Array.isArray(groups.value)) return;
      const list = groups.value.filter(isPlainObject);
      list.forEach((group, index) => {
        const names = Array.isArray(group['modules']) ? group['modules'] : [];
        const isOther = /^other/i.test(textOf(group, 'label'));
        const types = names.map((name) => app.modules.get(String(name))?.type ?? '');
        const areTriggers = types.length > 0 && types.every((type) => type.endsWith('trigger'));
        const place = groups.locationOf(childPointer('', index));
        if (isOther && index < list.length - 1)
          report({ message: 'The group of other modules comes last.', place });
        else if (areTriggers && index > 0) report({ message: 'The group of triggers comes first.', place });
        else if (names.length === 1 && !isOther && list.length > 2) {
          report({ message: `The group "${textOf(group, 'label')}" has one module.`, place });
        }
      });
    },
  },
  {
    id: 'interface-label',
    area: 'forms',
    level: 'warning',
    summary: 'A field of an interface has no label.',
    why: 'The mapper shows the technical name instead.',
    bad: '[{ "name": "created_at", "type": "date" }]',
    good: '[{ "name": "created_at", "type": "date", "label": "Created at" }]',
    review: official('app-blocks/interface'),
    check: (subject, report) => {
      for (const field of listFields(subject)) {
        const name = textOf(field.value, 'name');
        if (field.in.part !== 'interface' || name === '' || textOf(field.value, 'label') !== '') continue;
        report({ message: `"${name}" has no label.`, place: locate(field, 'name') });
      }
    },
  },
];

/** First words of labels by type. Other words are free, as APIs have actions of all kinds. */
const FIRST_WORDS: Readonly<Partial<Record<ModuleComponent['type'], RegExp>>> = {
  trigger: /^Watch /,
  instant_trigger: /^Watch /,
  search: /^(?:List|Search|Get|Find) /,
};

/** A plural at the end or before its attribute: `Get members of a team`. */
const PLURAL = /s(?: \(|$| (?:as|at|between|by|for|from|in|of|on|to|with) )/;

function judgeLabel({ type, name, label }: ModuleComponent): string | undefined {
  // `missing-label` reports it.
  if (label === undefined) return undefined;
  if (label === '' || label === name) return `The module "${name}" has no label.`;
  const first = FIRST_WORDS[type];
  if (first !== undefined && !first.test(label)) {
    const verb = type === 'search' ? '"List" or "Search"' : '"Watch"';
    return `The label "${label}" of a ${type.replace('_', ' ')} starts with ${verb}.`;
  }
  if (type === 'action' && /^(?:Get|Create|Update|Delete) (?!an? |or )/.test(label) && !PLURAL.test(label)) {
    return `Write "${label}" with "a" or "an": "${label.replace(/ /, ' a ')}".`;
  }
  // Names of products have capitals, so only a label with all words capitalized is reported.
  const words = label
    .replace(/\([^)]*\)/g, '')
    .split(' ')
    .filter((word) => /^\p{L}{4,}/u.test(word));
  const isTitle = words.length >= 3 && words.every((word) => /^\p{Lu}/u.test(word));
  return isTitle ? `Write the label "${label}" in sentence case.` : undefined;
}

/** Names of points in time. Parts such as a month or a format are none. */
export const DATE_NAME: RegExp =
  /(?:^|_)(?:date|datetime|timestamp)$|(?:Date|DateTime|Timestamp)$|(?:created|updated|expires|starts?|ends?|due)(?:_at|At|_on|On)$/;

/** Dates without a time, which some APIs take as text, are described by their format. */
function isDateOnly({ value }: WrittenField): boolean {
  return /YYYY|\d{4}-\d{2}-\d{2}(?!T)/.test(textOf(value, 'help')) || !isEmpty(ownMember(value, 'validate'));
}
