import type { WarningCode } from '../../../engine/document/document.js';
import { readAt } from '../../../shared/plain-object.js';
import type { Rule } from '../rule.js';
import { findingAt } from '../subject/expression-site.js';
import { locateKey } from '../subject/walk-requests.js';

/** Creates a rule for warnings of loading. */
function createLoaderRule({
  codes,
  ...rule
}: Omit<Rule, 'check'> & { readonly codes: readonly WarningCode[] }): Rule {
  return {
    ...rule,
    check: ({ app }, report) => {
      for (const { code, message, place } of app.warnings)
        if (codes.includes(code)) report({ message, place });
    },
  };
}

const OF_TEMPLATES = createLoaderRule({
  id: 'syntax',
  area: 'app',
  level: 'error',
  codes: ['syntax'],
  summary: 'An expression cannot be parsed.',
  why: 'The app loads, but a run that reaches the expression ends with an error.',
  bad: '"name": "{{item.first item.last}}"',
  good: '"name": "{{item.first}} {{item.last}}"',
});

/** `iterate` accepts a path without braces, which loading treats as text. */
const tellBarePaths: Rule['check'] = ({ expressions }, report) => {
  for (const { parsed, text, placeAt } of expressions) {
    if (parsed.ok || text.includes('{{')) continue;
    const message = /[{}]/.test(text)
      ? 'Expected a path without braces, or an expression in double braces.'
      : parsed.error.message;
    report({ message, place: placeAt(0) });
  }
};

const syntax: Rule = {
  ...OF_TEMPLATES,
  check: (subject, report) => {
    OF_TEMPLATES.check(subject, report);
    tellBarePaths(subject, report);
  },
};

const UNKNOWN_KEYS: Rule = createLoaderRule({
  id: 'unknown-directive',
  area: 'app',
  level: 'warning',
  codes: ['unknown-key'],
  summary: 'A file contains a key that nothing reads.',
  why: 'The key has no effect. It is probably misspelt, or belongs one level up or down.',
  bad: '"respones": { "output": "{{body}}" }',
  good: '"response": { "output": "{{body}}" }',
});

const unknownDirective: Rule = {
  ...UNKNOWN_KEYS,
  check: (subject, report) => {
    UNKNOWN_KEYS.check(subject, (finding) => {
      // `platform-only` reports more.
      const key = finding.place.pointer?.split('/').at(-1) ?? '';
      if (!PLATFORM_DIRECTIVES.has(key)) report(finding);
    });
  },
};

const wrongType: Rule = createLoaderRule({
  id: 'wrong-type',
  area: 'app',
  level: 'error',
  codes: ['wrong-type'],
  summary:
    'A directive or a member of the manifest has a value of the wrong type, or a text where an expression is meant.',
  why: 'The value is ignored, or the run fails. A text without braces is a constant: `"condition": "body.next"` is always true. Only `iterate` accepts a path without braces.',
  bad: '"condition": "body.next"',
  good: '"condition": "{{body.next}}"',
});

const duplicateKey: Rule = createLoaderRule({
  id: 'duplicate-key',
  area: 'app',
  level: 'error',
  codes: ['duplicate-key'],
  summary: 'An object has two members with the same name.',
  why: 'The last member is used; the first one is lost.',
  bad: '{ "url": "/a", "url": "/b" }',
  good: '{ "url": "/b" }',
});

const unknownReference: Rule = createLoaderRule({
  id: 'unknown-reference',
  area: 'app',
  level: 'error',
  codes: ['unknown-reference'],
  summary: 'A component refers to a connection, webhook, RPC or module that the app does not have.',
  why: 'A run that needs it cannot start. A form shows no fields of an RPC that does not exist. A call of an endpoint uses the connection of its caller.',
  bad: '"options": "rpc://listTable"',
  good: '"options": "rpc://listTables"',
});

const missingFile: Rule = createLoaderRule({
  id: 'missing-file',
  area: 'app',
  level: 'warning',
  codes: ['missing-file', 'unread-file'],
  summary: 'The manifest names a file that does not exist.',
  why: 'The content of the file is missing. Common data and readmes may be stored elsewhere; the code of functions may not.',
  bad: '"code": "functions/total/total.js"',
  good: '"code": "functions/total/code.js"',
});

const missingCommunication: Rule = createLoaderRule({
  id: 'missing-communication',
  area: 'app',
  level: 'error',
  codes: ['missing-communication'],
  summary: 'A component has no communication.',
  why: 'Each run of the component ends with an InvalidConfigurationError.',
  bad: '"getUser": { "moduleType": "action", "codeFiles": {} }',
  good: '"getUser": { "moduleType": "action", "codeFiles": { "communication": "modules/getUser/getUser.communication.iml.json" } }',
});

const undeclaredFile: Rule = createLoaderRule({
  id: 'undeclared-file',
  area: 'app',
  level: 'info',
  codes: ['undeclared-file'],
  summary: 'A file looks like a part of the app, but no component names it.',
  why: 'The file is not deployed and does not run.',
  bad: 'modules/oldThing/oldThing.communication.iml.json',
  good: 'The file is removed, or named by a component of the manifest.',
});

const missingUid: Rule = createLoaderRule({
  id: 'missing-uid',
  area: 'webhooks',
  level: 'error',
  codes: ['missing-uid'],
  summary: 'A shared webhook or its connection has no `uid`.',
  why: 'A connection receives the events with its `uid`. If the webhook or the connection has no `uid`, no connection receives the event.',
  bad: '{ "output": "{{body}}" }',
  good: '{ "uid": "{{body.team_id}}", "output": "{{body}}" }',
});

const manifestShape: Rule = createLoaderRule({
  id: 'manifest-shape',
  area: 'app',
  level: 'warning',
  codes: ['null-component', 'component-is-array', 'undeclared-component', 'upgraded'],
  summary: 'The manifest describes a component in a form that the editor of Make does not write.',
  why: 'The engine reads what it can; other tools may fail.',
  bad: '"components": { "rpc": [{ "name": "listTables" }] }',
  good: '"components": { "rpc": { "listTables": {} } }',
});

const relativeUrl: Rule = createLoaderRule({
  id: 'relative-url',
  area: 'base',
  level: 'error',
  codes: ['unusable-url'],
  summary: 'A URL is relative and there is no `baseUrl`, or the `baseUrl` has no scheme.',
  why: 'The request has no address, and the run ends with an InvalidConfigurationError. Connections and the specification of a webhook do not inherit the base.',
  bad: '{ "baseUrl": "api.example.com" }',
  good: '{ "baseUrl": "https://api.example.com" }',
});

const missingUrl: Rule = createLoaderRule({
  id: 'missing-url',
  area: 'base',
  level: 'error',
  codes: ['missing-url'],
  summary: 'A polling trigger or a connection has no `url`.',
  why: 'Both have to send a request; only other modules and RPCs can have requests without `url`. The run ends with an InvalidConfigurationError.',
  bad: '{ "response": { "data": { "key": "{{parameters.key}}" } } }',
  good: '{ "url": "https://api.example.com/me", "response": { "data": { "key": "{{parameters.key}}" } } }',
});

const shadowedFunction: Rule = createLoaderRule({
  id: 'shadowed-function',
  area: 'functions',
  level: 'warning',
  codes: ['builtin-name'],
  summary: 'A custom function has the name of a built-in function.',
  why: 'Expressions call the custom function and can no longer reach the built-in one.',
  bad: 'functions/join/code.js: function join(list) { ... }',
  good: 'functions/joinNames/code.js: function joinNames(list) { ... }',
});

const functionLength: Rule = createLoaderRule({
  id: 'function-length',
  area: 'functions',
  level: 'error',
  codes: ['long-function'],
  summary: 'The code of a custom function is too long for the platform.',
  why: 'The platform refuses functions of more than 5000 characters.',
  bad: 'a file of 7200 characters',
  good: 'two functions of 3600 characters, one calling the other by `iml`',
});

/** Parents of the directives. */
const PARENTS: readonly (readonly string[])[] = [[], ['pagination'], ['response']];

const platformOnly: Rule = {
  id: 'platform-only',
  area: 'app',
  level: 'error',
  summary: 'A directive or variable works only in apps of Make.',
  why: '`isc`, `agency`, `environment.system` and `internal` need rights that Make gives to its own apps. In other apps they have no effect or are undefined.',
  bad: '"headers": { "x-region": "{{environment.system.region}}" }',
  good: '"headers": { "x-region": "{{connection.region}}" }',
  check: (subject, report) => {
    for (const request of subject.requests) {
      for (const [name, message] of PLATFORM_DIRECTIVES) {
        for (const parent of PARENTS) {
          if (readAt(request.value, ...parent, name) === undefined) continue;
          report({ message: `${name} ${message}`, place: locateKey(request, ...parent, name) });
        }
      }
    }
    for (const site of subject.expressions) {
      for (const { root, members } of site.paths) {
        const isSystem = root.name === 'environment' && members[0]?.name === 'system';
        if (root.form !== 'plain' || (!isSystem && root.name !== 'internal')) continue;
        const name = isSystem ? 'environment.system' : 'internal';
        report(findingAt(site, root, `${name} is undefined: only apps of Make may read it.`));
      }
    }
  },
};

const NO_STOP = 'has no effect here: an empty page always ends the pages.';

/** Directives that only the platform applies, with the message. [inf] */
const PLATFORM_DIRECTIVES: ReadonlyMap<string, string> = new Map([
  ['isc', "sends to services inside Make. It works in Make's own apps only, and no run here sends it."],
  ['agency', 'runs the request on premises of a customer. Only Make can do that, and no run here sends it.'],
  ['stopOnEmptyResponse', NO_STOP],
  ['stopOnEmptyBundles', NO_STOP],
]);

const refusedFile: Rule = {
  id: 'refused-file',
  area: 'app',
  level: 'error',
  summary: 'The manifest names a hidden file, or one in `node_modules`, as readme or key file.',
  why: 'Such files hold credentials or are run by programs. `iml push` would send them, `iml pull` would replace them; both refuse.',
  bad: '"readme": ".env"',
  good: '"readme": "README.md"',
  check: ({ wanted }, report) => {
    for (const { message, place, isRefused } of wanted) if (isRefused) report({ message, place });
  },
};

const needsTrust: Rule = {
  id: 'needs-trust',
  area: 'app',
  level: 'info',
  summary: 'Files of the repository name a server that gets a token, a connection, or a private host.',
  why: 'Another author may have written them. Commands use them only after the user confirmed them once for the folder, on a terminal or with `--trust`.',
  bad: '{ "options": { "map": { "*": "https://collect.example.net" } } }',
  good: 'iml run ./my-app listContacts --map https://api.example.com=http://127.0.0.1:9911',
  check: ({ wanted }, report) => {
    for (const { message, place, isRefused } of wanted) if (!isRefused) report({ message, place });
  },
};

export const LOADER_RULES: readonly Rule[] = [
  syntax,
  unknownDirective,
  wrongType,
  duplicateKey,
  unknownReference,
  missingFile,
  missingCommunication,
  undeclaredFile,
  missingUid,
  manifestShape,
  relativeUrl,
  missingUrl,
  shadowedFunction,
  functionLength,
  platformOnly,
  refusedFile,
  needsTrust,
];
