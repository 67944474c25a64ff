import type { ModuleComponent } from '../../../../engine/document/app.js';
import type { Document } from '../../../../engine/document/document.js';
import { isSecretName } from '../../../../engine/redaction/secret-names.js';
import { childPointer } from '../../../../shared/errors/source-location.js';
import { isPlainObject, readAt } from '../../../../shared/plain-object.js';
import { quoteForShell } from '../../../../shared/text.js';
import { ADVICE, official, type Rule } from '../../rule.js';
import { isForm, listFields } from '../../subject/form-fields.js';
import {
  isEmpty,
  listModules,
  locateModule,
  readInherited,
  reads,
  requestsOf,
  sitesIn,
  textOf,
} from '../../subject/review-subject.js';
import type { Subject } from '../../subject/subject.js';
import { TOKEN } from '../../subject/token-formats.js';
import { locate, locateKey, type WrittenRequest } from '../../subject/walk-requests.js';

export const MODULE_REVIEW: readonly Rule[] = [
  {
    id: 'universal-module',
    area: 'modules',
    level: 'error',
    summary: 'The app has no universal module, or one that can reach only some addresses.',
    why: 'With the universal module, users call endpoints that have no module of their own. Its address is relative to the base, so that credentials go to the API only.',
    bad: 'an app without a module of type universal',
    good: 'a universal module "Make an API call" with "url": "{{parameters.url}}"',
    review: official('app-components/modules/universal-module'),
    check: (subject, report) => {
      const modules = listModules(subject);
      const universal = modules.filter(({ type }) => type === 'universal');
      const [first] = modules;
      if (first !== undefined && subject.part === undefined && universal.length === 0) {
        report({
          message: 'The app has no universal module.',
          place: subject.app.base?.locationOf('') ?? {},
        });
      }
      for (const module of universal) {
        if (!/^(?:make an? |execute a |run a )/i.test(module.label ?? '')) {
          report({
            message: `The label of the universal module "${module.name}" is not "Make an API call".`,
            place: locateModule(module),
          });
        }
        for (const request of requestsOf(subject, 'module', module.name)) {
          const url = readAt(request.value, 'url');
          if (typeof url !== 'string' || /^\s*(?:\{\{parameters\.|\/|https:\/\/[^/{]+\/?.*\{\{)/.test(url))
            continue;
          const place = locate(request, 'url');
          report({
            message: 'The address has to be relative to the base, or start with a fixed https host.',
            place,
          });
        }
      }
    },
  },
  {
    id: 'universal-description',
    area: 'modules',
    level: 'warning',
    summary: 'The universal module lacks the usual description, or the help of `url`.',
    why: 'The help says how the address starts, with an example of a path.',
    bad: '{ "name": "url", "type": "text", "label": "URL" }',
    good: '{ "name": "url", "type": "text", "label": "URL", "help": "Enter a path relative to `https://api.example.com`. It begins with `/`. For example, `/v1/users`." }',
    review: official('app-components/modules/universal-module/rest'),
    check: (subject, report) => {
      for (const module of listModules(subject).filter(({ type }) => type === 'universal')) {
        if (!/^performs an? (?:arbitrary|custom) /i.test(module.description ?? '')) {
          const message =
            'The description of a universal module is "Performs an arbitrary authorized API call.".';
          report({ message, place: locateModule(module) });
        }
        const form: unknown = module.mappableParams?.value;
        const at = Array.isArray(form)
          ? form.findIndex((field) => isPlainObject(field) && field['name'] === 'url')
          : -1;
        const field: unknown = Array.isArray(form) ? form[at] : undefined;
        if (
          module.mappableParams === undefined ||
          !isPlainObject(field) ||
          textOf(field, 'help').includes('/')
        )
          continue;
        const place = module.mappableParams.locationOf(childPointer('', at));
        report({ message: 'The help of "url" shows no path, such as `/v1/users`.', place });
      }
    },
  },
  {
    id: 'action-no-paging',
    area: 'modules',
    level: 'error',
    summary: 'An action has `pagination`.',
    why: 'An action outputs one object. A list of several pages is a search.',
    bad: 'action: "pagination": { "qs": { "page": "{{pagination.page}}" } }',
    good: 'search: "pagination": { "qs": { "page": "{{pagination.page}}" } }',
    review: official('best-practices/modules'),
    check: (subject, report) => {
      for (const request of requestsOfTypes(subject, 'action')) {
        if (!isLast(request) || isEmpty(readAt(request.value, 'pagination'))) continue;
        const place = locateKey(request, 'pagination');
        report({ message: 'An action has no pages. Make it a search.', place });
      }
    },
  },
  {
    id: 'search-complete',
    area: 'modules',
    level: 'error',
    summary: 'A search lacks `iterate`, `limit` or `pagination`.',
    why: 'A search outputs one bundle per record, stops at the limit of the user, and requests further pages until then.',
    bad: 'search: "response": { "output": "{{body}}" }',
    good: 'search: "response": { "iterate": "{{body.items}}", "output": "{{item}}", "limit": "{{parameters.limit}}" }, "pagination": { "qs": { "page": "{{pagination.page}}" } }',
    review: official('best-practices/modules/search-modules'),
    check: (subject, report) => {
      for (const request of requestsOfTypes(subject, 'search').filter(isLast)) {
        const missing = [
          ...['iterate', 'limit'].filter((name) =>
            isEmpty(readInherited(subject, request, 'response', name)),
          ),
          ...(isEmpty(readInherited(subject, request, 'pagination')) ? ['pagination'] : []),
        ];
        if (missing.length === 0) continue;
        const message = `The search "${request.module.name}" has no ${missing.join(', ')}.`;
        report({ message, place: locate(request) });
      }
    },
  },
  {
    id: 'output-as-is',
    area: 'modules',
    level: 'warning',
    summary: 'The output copies members of the response one by one.',
    why: 'Output the whole response or item, so that new members of the API reach users without a change of the app. Parse dates, and leave the rest as it is.',
    bad: '"output": { "id": "{{body.id}}", "name": "{{body.name}}" }',
    good: '"output": "{{body}}"',
    review: official('https://docs.make.com/apps/best-practices/processing-of-output-parameters'),
    check: (subject, report) => {
      for (const request of requestsOfTypes(subject, 'action', 'search', 'trigger').filter(isLast)) {
        const output = readAt(request.value, 'response', 'output');
        if (!isPlainObject(output)) continue;
        const copied = Object.entries(output).filter(([name, value]) => {
          const [, member] =
            typeof value === 'string' ? (/^\{\{\s*(?:body|item)\.(\w+)\s*\}\}$/.exec(value) ?? []) : [];
          return member === name;
        });
        if (copied.length < 3 || copied.length < Object.keys(output).length) continue;
        const place = locateKey(request, 'response', 'output');
        report({ message: 'The output copies members one by one. Output the whole response.', place });
      }
    },
  },
  {
    id: 'output-item',
    area: 'modules',
    level: 'error',
    summary: 'A request with `iterate` outputs the body instead of the item.',
    why: 'Every bundle is then the whole response.',
    bad: '"iterate": "{{body.users}}", "output": "{{body}}"',
    good: '"iterate": "{{body.users}}", "output": "{{item}}"',
    review: ADVICE,
    check: ({ requests }, report) => {
      for (const request of requests) {
        const output = readAt(request.value, 'response', 'output');
        if (isEmpty(readAt(request.value, 'response', 'iterate')) || typeof output !== 'string') continue;
        if (!/^\{\{\s*body\b/.test(output) || /\bitem\b/.test(output)) continue;
        const place = locate(request, 'response', 'output');
        report({ message: 'With iterate, the output reads item.', place });
      }
    },
  },
  {
    id: 'secret-output',
    area: 'modules',
    level: 'warning',
    summary: 'The interface of a module declares a secret.',
    why: 'Outputs are stored in the history of scenarios, where others can read them.',
    bad: 'interface: [{ "name": "accessToken", "type": "text" }]',
    good: 'interface: [{ "name": "id", "type": "number" }]',
    review: ADVICE,
    check: (subject, report) => {
      for (const field of listFields(subject).filter(({ in: checked }) => !isForm(checked))) {
        const name = textOf(field.value, 'name');
        // Tokens of pages and names of sessions are mostly no secrets.
        if (!isSecretName(name, 'body') || /page|cursor|next|session/i.test(name)) continue;
        const place = locate(field, 'name');
        report({ message: `"${name}" looks like a secret. Remove it from the output.`, place });
      }
    },
  },
  {
    id: 'error-text',
    area: 'modules',
    level: 'warning',
    summary: 'An error message is the whole body, or a stack trace.',
    why: 'Users see the message. A body can contain data of others and internals of the server.',
    bad: '"error": { "message": "{{body}}" }',
    good: '"error": { "message": "[{{statusCode}}] {{body.error.message}}" }',
    review: ADVICE,
    check: ({ requests }, report) => {
      for (const request of requests) {
        const error = readAt(request.value, 'response', 'error');
        for (const path of messagePaths(error)) {
          const message = readAt(error, ...path);
          if (typeof message !== 'string') continue;
          if (!/\{\{\s*(?:body|toString\(body\)|body(?:\.\w+)*\.stack\w*)\s*\}\}/i.test(message)) continue;
          const place = locate(request, 'response', 'error', ...path);
          report({ message: 'The message shows the whole body. Read a member of it.', place });
        }
      }
    },
  },
  {
    id: 'invalid-empty',
    area: 'modules',
    level: 'warning',
    summary: 'An action outputs the first item of a list without checking that there is one.',
    why: 'Where nothing is found, the module succeeds with an empty bundle. `valid` turns that into an error.',
    bad: '"output": "{{first(body.users)}}"',
    good: '"valid": "{{length(body.users) > 0}}", "output": "{{first(body.users)}}"',
    review: ADVICE,
    check: (subject, report) => {
      for (const request of requestsOfTypes(subject, 'action')) {
        const output = readAt(request.value, 'response', 'output');
        if (typeof output !== 'string' || !isEmpty(readInherited(subject, request, 'response', 'valid')))
          continue;
        if (!/^\{\{\s*(?:first\(|get\([^)]*;\s*1\)|body[\w.]*\[(?:1|\])?)/.test(output)) continue;
        const place = locate(request, 'response', 'output');
        report({ message: 'The list can be empty. Add response.valid.', place });
      }
    },
  },
  {
    id: 'module-tags',
    area: 'modules',
    level: 'info',
    summary: 'A tag in the label of a module is not in brackets and lower case.',
    why: 'The usual tags are "(advanced)", "(beta)" and "(deprecated)".',
    bad: '"List users - BETA"',
    good: '"List users (beta)"',
    review: ADVICE,
    check: (subject, report) => {
      for (const module of listModules(subject)) {
        const label = (module.label ?? '').replace(/\((?:advanced|beta|deprecated|legacy)\)/g, '');
        if (!/\b(?:advanced|beta|deprecated|legacy)\b/i.test(label)) continue;
        const message = `Write the tag in the label "${module.label}" as "(beta)", in brackets and lower case.`;
        report({ message, place: locateModule(module) });
      }
    },
  },
  {
    id: 'interface-missing',
    area: 'modules',
    level: 'error',
    summary: 'A module has no interface.',
    why: 'Users can map only declared fields before the first run. `iml infer interface` writes one from a response.',
    bad: 'interface: []',
    good: 'interface: [{ "name": "id", "type": "number", "label": "ID" }]',
    review: official('app-blocks/interface'),
    check: (subject, report) => {
      for (const module of listMapped(subject)) {
        if (!isEmpty(module.interface?.value)) continue;
        const message = `The module "${module.name}" has no interface. Write one: iml infer interface ${quoteForShell(module.name)}`;
        report({ message, place: module.interface?.locationOf('') ?? locateModule(module) });
      }
    },
  },
  {
    id: 'samples-missing',
    area: 'modules',
    level: 'warning',
    summary: 'A module has no samples.',
    why: 'The mapper shows samples, so that users see what a field contains.',
    bad: 'samples: {}',
    good: 'samples: { "id": 7 }',
    review: official('best-practices'),
    check: (subject, report) => {
      for (const module of listMapped(subject).filter(({ type }) => type !== 'universal')) {
        if (!isEmpty(module.samples?.value)) continue;
        const message = `The module "${module.name}" has no samples. Write some: iml infer samples ${quoteForShell(module.name)}`;
        report({ message, place: module.samples?.locationOf('') ?? locateModule(module) });
      }
    },
  },
  {
    id: 'samples-synthetic',
    area: 'modules',
    level: 'error',
    summary: 'A sample contains a token.',
    why: 'Samples are a part of the app and visible to everybody who uses it. Write invented values.',
    bad: 'samples: { "token": "sk_live_4eC39HqLyjWDarjtT1" }',
    good: 'samples: { "id": 7 }',
    review: official('app-review/prerequisites'),
    check: (subject, report) => {
      for (const { samples } of listModules(subject)) {
        if (samples === undefined) continue;
        for (const pointer of findTexts(samples, TOKEN)) {
          report({
            message: 'The sample contains a token. Replace it by an invented value.',
            place: samples.locationOf(pointer),
          });
        }
      }
    },
  },
  {
    id: 'deep-expression',
    area: 'modules',
    level: 'info',
    summary: 'An expression is longer than 160 characters and has nested `if` or `switch`.',
    why: 'A custom function with a test says the same in readable code.',
    bad: '"{{if(a; 1; if(b; 2; if(c; 3; 4)))}}"',
    good: '"{{toStatus(a; b; c)}}"',
    review: ADVICE,
    check: ({ expressions }, report) => {
      for (const site of expressions) {
        const branches = site.nodes.filter(
          (node) => node.kind === 'call' && (node.name === 'if' || node.name === 'switch'),
        );
        if (site.text.length <= 160 || branches.length < 2) continue;
        report({ message: 'The expression is long and has nested branches.', place: site.placeAt(0) });
      }
    },
  },
  {
    id: 'page-size-of-user',
    area: 'triggers',
    level: 'warning',
    summary: 'The page size of a trigger is the limit of the user.',
    why: 'The limit of the user belongs into `response.limit`. With a page size below the number of new records, records are lost or pages are requested in vain.',
    bad: 'trigger: "qs": { "per_page": "{{parameters.limit}}" }',
    good: 'trigger: "qs": { "per_page": 100 }, "response": { "limit": "{{parameters.limit}}" }',
    review: ADVICE,
    check: (subject, report) => {
      for (const request of requestsOfTypes(subject, 'trigger')) {
        for (const site of sitesIn(subject, request, 'qs')) {
          if (!reads(site, 'parameters', 'limit')) continue;
          report({
            message: 'Use a fixed page size, and response.limit for the limit of the user.',
            place: site.placeAt(0),
          });
        }
      }
    },
  },
  {
    id: 'trigger-limit',
    area: 'triggers',
    level: 'warning',
    summary: 'A polling trigger has no `response.limit`.',
    why: 'The limit of the user says how many bundles one run outputs.',
    bad: '"response": { "iterate": "{{body.items}}", "output": "{{item}}" }',
    good: '"response": { "iterate": "{{body.items}}", "output": "{{item}}", "limit": "{{parameters.limit}}" }',
    review: ADVICE,
    check: (subject, report) => {
      for (const request of requestsOfTypes(subject, 'trigger').filter(isLast)) {
        if (!isEmpty(readInherited(subject, request, 'response', 'limit'))) continue;
        const message = `The trigger "${request.module.name}" has no response.limit.`;
        report({ message, place: locate(request, 'response') });
      }
    },
  },
  {
    id: 'trigger-newest-first',
    area: 'triggers',
    level: 'warning',
    summary: 'A polling trigger neither asks for an order nor filters by the last record.',
    why: 'A run reads at most 3200 records. If the API returns old records first, newer ones are never reached.',
    bad: 'trigger: "qs": { "per_page": 100 }',
    good: 'trigger: "qs": { "per_page": 100, "sort": "-created" }',
    review: official('best-practices/trigger-modules'),
    check: (subject, report) => {
      for (const request of requestsOfTypes(subject, 'trigger').filter(isLast)) {
        const { value, document } = request;
        const written = JSON.stringify([value['url'], value['qs'], value['body']]);
        if (/sort|order|desc|newest|since|after|from/i.test(written)) continue;
        if (
          subject
            .expressionsIn(request.in)
            .some((site) => site.location.phase === 'request' && reads(site, 'data'))
        ) {
          continue;
        }
        const message = `The trigger "${request.module.name}" does not ask for the newest records first.`;
        report({ message, place: document.locationOf(request.pointer) });
      }
    },
  },
  {
    id: 'trigger-first-run',
    area: 'triggers',
    level: 'warning',
    summary: 'A trigger filters by the last record, and the first run has none.',
    why: 'Before the first run, `data.lastDate` and `data.lastID` are empty. Some APIs refuse an empty filter.',
    bad: '"qs": { "filter": "created > {{data.lastDate}}" }',
    good: '"qs": { "filter": "{{if(data.lastDate, \'created > \' + data.lastDate, undefined)}}" }',
    review: ADVICE,
    check: (subject, report) => {
      for (const request of requestsOfTypes(subject, 'trigger')) {
        for (const site of [...sitesIn(subject, request, 'qs'), ...sitesIn(subject, request, 'url')]) {
          if (!reads(site, 'data', 'lastDate') && !reads(site, 'data', 'lastID')) continue;
          // A value that is nothing but the path is left out if it is empty.
          if (/^\{\{\s*data\.\w+\s*\}\}$/.test(site.text) || /\bif|\|\||\?\?/.test(site.text)) continue;
          report({ message: 'The first run has no last record. Use if or ifempty.', place: site.placeAt(0) });
        }
      }
    },
  },
  {
    id: 'epoch-limit',
    area: 'triggers',
    level: 'warning',
    summary: 'The limit of an epoch is missing, not fixed, or above 300.',
    why: 'The epoch fills a list to choose from. Users wait for it.',
    bad: 'epoch: "response": { "limit": 3000 }',
    good: 'epoch: "response": { "limit": 300 }',
    review: official('best-practices/trigger-modules'),
    check: ({ documents }, report) => {
      for (const { part, document } of documents) {
        if (part !== 'epoch' || isEmpty(document.value)) continue;
        const limit = readAt(document.value, 'response', 'limit') ?? readAt(document.value, 'limit');
        if (Number(limit) > 0 && Number(limit) <= 300) continue;
        report({
          message: 'The epoch has no fixed limit of at most 300.',
          place: document.locationOf('/response'),
        });
      }
    },
  },
];

/** The requests of all modules of some types. */
function requestsOfTypes(
  subject: Subject,
  ...types: readonly ModuleComponent['type'][]
): readonly (WrittenRequest & { readonly module: ModuleComponent })[] {
  return listModules(subject)
    .filter(({ type }) => types.includes(type))
    .flatMap((module) =>
      requestsOf(subject, 'module', module.name).map((request) => ({ ...request, module })),
    );
}

/** Only the last request of a chain gives the result. */
function isLast({ element, length }: WrittenRequest): boolean {
  return element === length - 1;
}

function messagePaths(error: unknown): readonly (readonly string[])[] {
  if (typeof error === 'string') return [[]];
  if (!isPlainObject(error)) return [];
  return [['message'], ...Object.keys(error).map((status) => [status, 'message'])];
}

/** Modules with an output that users map. */
function listMapped(subject: Subject): readonly ModuleComponent[] {
  return listModules(subject).filter((module) => {
    if (module.type === 'responder') return false;
    if (module.type === 'instant_trigger') return true;
    const last = requestsOf(subject, 'module', module.name).at(-1);
    return last !== undefined && !isEmpty(readAt(last.value, 'response', 'output'));
  });
}

function findTexts({ value }: Document, pattern: RegExp): readonly string[] {
  const found: string[] = [];
  const visit = (item: unknown, pointer: string): void => {
    if (typeof item === 'string') {
      if (pattern.test(item)) found.push(pointer);
    } else if (Array.isArray(item)) {
      for (const [index, inner] of item.entries()) visit(inner, childPointer(pointer, index));
    } else if (isPlainObject(item)) {
      for (const [key, inner] of Object.entries(item)) visit(inner, childPointer(pointer, key));
    }
  };
  visit(value, '');
  return found;
}
