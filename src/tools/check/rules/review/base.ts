import { isSecretName } from '../../../../engine/redaction/secret-names.js';
import { isPlainObject, readAt } from '../../../../shared/plain-object.js';
import { ADVICE, official, type Rule } from '../../rule.js';
import { findingAt } from '../../subject/expression-site.js';
import { isEmpty, listModules, locateModule, sitesIn } from '../../subject/review-subject.js';
import { inheritsBase, locate, locateKey } from '../../subject/walk-requests.js';

export const BASE_REVIEW: readonly Rule[] = [
  {
    id: 'base-error-handler',
    area: 'base',
    level: 'error',
    summary: 'The base has no `response.error` with a message.',
    why: 'Without it, users see only the status code of a failed request. The review requires a message that is read from the response.',
    bad: '{ "baseUrl": "https://api.example.com" }',
    good: '{ "baseUrl": "https://api.example.com", "response": { "error": { "message": "[{{statusCode}}] {{body.message}}" } } }',
    review: official('app-review/prerequisites'),
    check: ({ app }, report) => {
      if (app.modules.size === 0 || !isEmpty(readAt(app.base?.value, 'response', 'error'))) return;
      const place = app.base?.locationOf('') ?? {};
      report({ message: 'The base has no response.error. Add one with a message.', place });
    },
  },
  {
    id: 'production-hosts',
    area: 'base',
    level: 'error',
    summary: 'An address is not that of a production server, or has no TLS.',
    why: 'The review refuses hosts of tests, of tunnels and of hosting services, and plain HTTP: they end, change hands or can be read by others.',
    bad: '"baseUrl": "http://staging.example.com"',
    good: '"baseUrl": "https://api.example.com"',
    review: official('app-review/prerequisites'),
    check: ({ requests }, report) => {
      for (const request of requests) {
        for (const key of ['baseUrl', 'url'] as const) {
          const value = readAt(request.value, key);
          const [, scheme, host = ''] =
            typeof value === 'string'
              ? (/^\s*(https?):\/\/(?:[^/?#@{]*@)?([^/?#:{]*)/i.exec(value) ?? [])
              : [];
          if (scheme === undefined) continue;
          const place = locate(request, key);
          if (scheme.toLowerCase() === 'http')
            report({ message: 'The address uses plain HTTP; use https.', place });
          else if (TEST_HOST.test(host))
            report({ message: `"${host}" is not a host for production.`, place });
        }
      }
    },
  },
  {
    id: 'version-in-base',
    area: 'base',
    level: 'error',
    summary: 'The base address has a version, and the universal module uses it.',
    why: 'The universal module has to reach every endpoint of the API, also those of another version.',
    bad: '"baseUrl": "https://api.example.com/v2"; universal: "url": "{{parameters.url}}"',
    good: '"baseUrl": "https://api.example.com"; universal: "url": "{{parameters.url}}"',
    review: official('app-components/modules/universal-module'),
    check: (subject, report) => {
      const { base } = subject.app;
      const baseUrl = readAt(base?.value, 'baseUrl');
      if (base === undefined || typeof baseUrl !== 'string' || !/\/v\d+(?:[./]|$)/i.test(baseUrl)) return;
      const uses = subject.requests.some(({ in: { owner }, value }) => {
        const url = readAt(value, 'url');
        return owner?.type === 'universal' && typeof url === 'string' && !/^\s*https?:/i.test(url);
      });
      if (!uses) return;
      const message = 'Move the version from the base address to the addresses of the modules.';
      report({ message, place: base.locationOf('/baseUrl') });
    },
  },
  {
    id: 'secret-in-address',
    area: 'base',
    level: 'warning',
    summary: 'A secret is sent in the URL or the query.',
    why: 'Addresses are written to the logs of servers and proxies. Send the secret in a header. If the API takes it in the query only, name it in `log.sanitize`.',
    bad: '"qs": { "api_key": "{{connection.apiKey}}" }',
    good: '"headers": { "x-api-key": "{{connection.apiKey}}" }',
    review: ADVICE,
    check: (subject, report) => {
      for (const request of subject.requests) {
        for (const site of [...sitesIn(subject, request, 'url'), ...sitesIn(subject, request, 'qs')]) {
          // The token request of OAuth passes secrets by its definition.
          if (request.in.kind === 'oauth') continue;
          const secret = site.paths.find(({ root, members: [first] }) => {
            const isStored = root.name === 'connection' || root.name === 'common';
            return isStored && first?.name !== undefined && isSecretName(first.name, 'body');
          });
          if (secret === undefined) continue;
          report(findingAt(site, secret.root, 'The secret is a part of the address. Send it in a header.'));
        }
      }
    },
  },
  {
    id: 'repeated-headers',
    area: 'base',
    level: 'info',
    summary: 'A header is the same in more than two modules and not in the base.',
    why: 'Modules inherit the headers of the base, so a change needs one place only.',
    bad: '"headers": { "accept": "application/json" } in three modules',
    good: 'base: "headers": { "accept": "application/json" }',
    review: ADVICE,
    check: ({ requests }, report) => {
      const seen = new Map<string, number>();
      for (const request of requests.filter(({ in: checked }) => inheritsBase(checked))) {
        const headers = readAt(request.value, 'headers');
        for (const [name, value] of isPlainObject(headers) ? Object.entries(headers) : []) {
          const key = JSON.stringify([name.toLowerCase(), value]);
          const count = (seen.get(key) ?? 0) + 1;
          seen.set(key, count);
          if (count !== 3) continue;
          const place = locateKey(request, 'headers', name);
          report({
            message: `The header "${name}" is the same in several requests. Move it to the base.`,
            place,
          });
        }
      }
    },
  },
  {
    id: 'base-drift',
    area: 'base',
    level: 'warning',
    summary: 'The base has no `baseUrl`, and modules repeat one.',
    why: 'A move of the API then needs a change of every module.',
    bad: 'base: {}; modules: "url": "https://api.example.com/users"',
    good: 'base: { "baseUrl": "https://api.example.com" }; modules: "url": "/users"',
    review: ADVICE,
    check: (subject, report) => {
      if (!isEmpty(readAt(subject.app.base?.value, 'baseUrl'))) return;
      const origins = new Map<string, number>();
      for (const module of listModules(subject)) {
        const url = readAt(module.communication?.value, 'url');
        const [origin] = typeof url === 'string' ? (/^https?:\/\/[^/?#]+/i.exec(url) ?? []) : [];
        if (origin === undefined) continue;
        const count = (origins.get(origin) ?? 0) + 1;
        origins.set(origin, count);
        if (count !== 3) continue;
        const place = subject.app.base?.locationOf('') ?? locateModule(module);
        report({ message: `Modules repeat "${origin}". Write it as baseUrl of the base.`, place });
      }
    },
  },
];

/** Hosts of tests and of a single developer. */
const TEST_HOST =
  /(?:^|[.-])(?:staging|sandbox|test|dev|ngrok(?:-free)?|herokuapp|trycloudflare|loca)[.-]|(?:^|\.)local(?:host)?$|^\d+\.\d+\.\d+\.\d+$|\.(?:run\.app|azurewebsites\.net|amazonaws\.com|vercel\.app|onrender\.com)$/i;
