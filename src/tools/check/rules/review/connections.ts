import type { Document } from '../../../../engine/document/document.js';
import { isSecretName } from '../../../../engine/redaction/secret-names.js';
import { childPointer } from '../../../../shared/errors/source-location.js';
import { isPlainObject, ownMember, readAt } from '../../../../shared/plain-object.js';
import { ADVICE, official, type Rule } from '../../rule.js';
import { findingAt } from '../../subject/expression-site.js';
import { listFields, type WrittenField } from '../../subject/form-fields.js';
import { isEmpty, reads, requestsOf, sitesIn, textOf } from '../../subject/review-subject.js';
import type { Subject } from '../../subject/subject.js';
import { locate, locateKey, type WrittenRequest } from '../../subject/walk-requests.js';

export const CONNECTION_REVIEW: readonly Rule[] = [
  {
    id: 'connection-error-handler',
    area: 'connections',
    level: 'error',
    summary: 'A connection has no `response.error` with a message.',
    why: 'Connections do not inherit the base. Without a message, users who enter a wrong key see only a status code.',
    bad: '{ "url": "https://api.example.com/me" }',
    good: '{ "url": "https://api.example.com/me", "response": { "error": { "message": "{{body.message}}" } } }',
    review: official('app-review/prerequisites'),
    check: (subject, report) => {
      for (const { document, requests } of listCommunications(subject)) {
        const sent = requests.filter(({ section }) => section !== 'authorize');
        if (sent.length === 0 || sent.some(({ value }) => !isEmpty(readAt(value, 'response', 'error'))))
          continue;
        report({
          message: 'No request of the connection has a response.error.',
          place: document.locationOf(''),
        });
      }
    },
  },
  {
    id: 'connection-validates',
    area: 'connections',
    level: 'error',
    summary: 'A connection sends no request, so it accepts any credentials.',
    why: 'A connection has to send a request that fails for wrong credentials. Otherwise users learn of a wrong key when a scenario runs.',
    bad: '{ }',
    good: '{ "url": "https://api.example.com/me", "headers": { "x-api-key": "{{parameters.apiKey}}" } }',
    review: official('best-practices/connections'),
    check: (subject, report) => {
      for (const connection of subject.app.connections.values()) {
        if (subject.part?.has('connection', connection.name) === false) continue;
        const requests = requestsOf(subject, 'connection', connection.name);
        if (requests.some(({ value }) => !isEmpty(readAt(value, 'url')))) continue;
        const place = (connection.communication ?? connection.params)?.locationOf('') ?? {};
        report({ message: `The connection "${connection.name}" sends no request.`, place });
      }
    },
  },
  {
    id: 'connection-metadata',
    area: 'connections',
    level: 'warning',
    summary: 'A connection sets no `response.metadata`.',
    why: 'The metadata, such as the name or e-mail address of the account, lets users tell their connections apart.',
    bad: '"response": { }',
    good: '"response": { "metadata": { "type": "email", "value": "{{body.email}}" } }',
    review: official('best-practices/connections'),
    check: (subject, report) => {
      for (const { document, requests } of listCommunications(subject)) {
        if (requests.length === 0) continue;
        if (requests.some(({ value }) => !isEmpty(readAt(value, 'response', 'metadata')))) continue;
        report({ message: 'The connection sets no response.metadata.', place: document.locationOf('') });
      }
    },
  },
  {
    id: 'password-type',
    area: 'connections',
    level: 'error',
    summary: 'A field for a secret has no type `password`.',
    why: 'Every other type shows the secret on the screen and in the form of the connection.',
    bad: '{ "name": "apiKey", "type": "text" }',
    good: '{ "name": "apiKey", "type": "password" }',
    review: ADVICE,
    check: (subject, report) => {
      const fields = listFields(subject).filter(
        ({ in: { owner } }) => owner?.kind === 'connection' || owner?.kind === 'webhook',
      );
      for (const field of fields) {
        const type = textOf(field.value, 'type');
        if (!isCredential(field) || !['text', 'any', 'uuid', ''].includes(type)) continue;
        const place = locate(field, 'type');
        report({ message: `"${textOf(field.value, 'name')}" is a secret. Use the type password.`, place });
      }
    },
  },
  {
    id: 'editable-credentials',
    area: 'connections',
    level: 'info',
    summary: 'A field of a connection is not `editable`.',
    why: 'Without it, users have to create a new connection to enter another key, and to replace it in all scenarios.',
    bad: '{ "name": "apiKey", "type": "password" }',
    good: '{ "name": "apiKey", "type": "password", "editable": true }',
    review: ADVICE,
    check: (subject, report) => {
      for (const field of listCredentials(subject).filter(isCredential)) {
        if (ownMember(field.value, 'editable') !== undefined) continue;
        const message = `"${textOf(field.value, 'name')}" cannot be changed later. Add "editable": true.`;
        report({ message, place: locate(field) });
      }
    },
  },
  {
    id: 'credential-hint',
    area: 'connections',
    level: 'warning',
    summary: 'A field for a secret has no help.',
    why: 'The help says where users find the value.',
    bad: '{ "name": "apiKey", "type": "password", "label": "API key" }',
    good: '{ "name": "apiKey", "type": "password", "label": "API key", "help": "Find it in your account, under Settings > API." }',
    review: official('best-practices/connections'),
    check: (subject, report) => {
      for (const field of listCredentials(subject).filter(isCredential)) {
        if (textOf(field.value, 'help') !== '') continue;
        const message = `"${textOf(field.value, 'name')}" has no help that says where to find the value.`;
        report({ message, place: locate(field) });
      }
    },
  },
  {
    id: 'redirect-address',
    area: 'connections',
    level: 'error',
    summary: 'The redirect address of OAuth differs between `authorize` and `token`, or `refresh` sends one.',
    why: 'A server compares the addresses of `authorize` and `token` and refuses others. A refresh has no redirect.',
    bad: 'authorize: "redirect_uri": "{{oauth.localRedirectUri}}"; token: "redirect_uri": "{{oauth.redirectUri}}"',
    good: 'authorize and token: "redirect_uri": "{{oauth.localRedirectUri}}"',
    review: ADVICE,
    check: (subject, report) => {
      for (const { requests } of listCommunications(subject)) {
        const uses = requests.flatMap((request) =>
          subject
            .expressionsIn(request.in)
            .filter(
              (site) =>
                site.location.section === request.section && site.location.element === request.element,
            )
            .flatMap((site) =>
              site.paths
                .filter(
                  ({ root, members }) => root.name === 'oauth' && /redirect/i.test(members[0]?.name ?? ''),
                )
                .map(({ root, members }) => ({
                  site,
                  root,
                  name: members[0]?.name,
                  section: request.section,
                })),
            ),
        );
        const first = uses.find(({ section }) => section === 'authorize');
        for (const { site, root, name, section } of uses) {
          if (section === 'refresh')
            report(findingAt(site, root, 'A refresh has no redirect address. Remove it.'));
          else if (section === 'token' && first !== undefined && first.name !== name) {
            report(findingAt(site, root, `authorize uses oauth.${first.name}; use the same address here.`));
          }
        }
      }
    },
  },
  {
    id: 'minimal-scope',
    area: 'connections',
    level: 'warning',
    summary: 'A scope asks for full access.',
    why: 'An app asks for what its modules need only.',
    bad: '["admin"]',
    good: '["contacts.read"]',
    review: ADVICE,
    check: ({ documents }, report) => {
      for (const { part, document } of documents) {
        if (!['scope', 'defaultScope', 'requiredScope'].includes(part) || !Array.isArray(document.value))
          continue;
        document.value.forEach((scope: unknown, index) => {
          if (typeof scope !== 'string' || !/^\*$|^all$|\b(?:admin|full[_-]?access)\b/i.test(scope)) return;
          const place = document.locationOf(childPointer('', index));
          report({ message: `The scope "${scope}" gives full access.`, place });
        });
      }
    },
  },
  {
    id: 'refresh-token-stays',
    area: 'connections',
    level: 'error',
    summary: 'A refresh token leaves the connection.',
    why: 'A refresh token gives lasting access. It belongs into `response.data` and the refresh request, and nowhere else.',
    bad: 'module: "body": { "token": "{{connection.refreshToken}}" }',
    good: 'module: "headers": { "authorization": "Bearer {{connection.accessToken}}" }',
    review: ADVICE,
    check: ({ expressions }, report) => {
      for (const site of expressions) {
        if (site.in.owner?.kind === 'connection') continue;
        const found = site.paths.find(
          ({ root, members: [first] }) =>
            (root.name === 'connection' || root.name === 'body') &&
            /^refresh_?token$/i.test(first?.name ?? ''),
        );
        if (found !== undefined)
          report(findingAt(site, found.root, 'A refresh token must not leave the connection.'));
      }
    },
  },
  {
    id: 'connection-label',
    area: 'connections',
    level: 'info',
    summary: 'Several connections of an app do not say how they authenticate.',
    why: 'Users choose between them by their labels.',
    bad: 'two connections labelled "Acme"',
    good: '"Acme (OAuth 2.0)" and "Acme (API key)"',
    review: ADVICE,
    check: ({ app, part }, report) => {
      if (app.connections.size < 2) return;
      for (const { name, label, communication, params } of app.connections.values()) {
        if (
          part?.has('connection', name) === false ||
          /oauth|key|basic|token|password|client/i.test(label ?? '')
        )
          continue;
        const message = `The label of the connection "${name}" does not name the kind of authentication.`;
        report({ message, place: (communication ?? params)?.locationOf('') ?? {} });
      }
    },
  },
  {
    id: 'additional-scopes',
    area: 'connections',
    level: 'info',
    summary: 'An OAuth connection of an app with a universal module takes no additional scopes.',
    why: 'With the universal module users call endpoints that need other scopes than the modules of the app.',
    bad: '"scope": "{{join(oauth.scope, \' \')}}"',
    good: '"scope": "{{join(distinct(merge(oauth.scope, ifempty(parameters.scopes, emptyarray))), \' \')}}"',
    review: ADVICE,
    check: (subject, report) => {
      const hasUniversal = [...subject.app.modules.values()].some(({ type }) => type === 'universal');
      for (const { requests } of hasUniversal ? listCommunications(subject) : []) {
        const authorize = requests.find(({ section }) => section === 'authorize');
        const scopes = authorize === undefined ? [] : sitesIn(subject, authorize, 'qs', 'scope');
        if (authorize === undefined || !isPlainObject(readAt(authorize.value, 'qs'))) continue;
        const asks = scopes.some((site) => reads(site, 'oauth', 'scope'));
        if (!asks || scopes.some((site) => reads(site, 'parameters'))) continue;
        const place = locateKey(authorize, 'qs', 'scope');
        report({ message: 'Let users enter additional scopes for the universal module.', place });
      }
    },
  },
];

/** The communications of the connections that send requests. */
function listCommunications(
  subject: Subject,
): readonly { readonly document: Document; readonly requests: readonly WrittenRequest[] }[] {
  return subject.documents
    .filter(({ owner, part }) => owner?.kind === 'connection' && part === 'communication')
    .map(({ document, owner }) => ({
      document,
      requests: requestsOf(subject, 'connection', owner?.name ?? ''),
    }));
}

/** The fields of the forms of connections. */
function listCredentials(subject: Subject): readonly WrittenField[] {
  return listFields(subject).filter(({ in: { owner } }) => owner?.kind === 'connection');
}

function isCredential({ value }: WrittenField): boolean {
  return isSecretName(textOf(value, 'name'), 'body');
}
