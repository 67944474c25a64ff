import { childPointer } from '../../../shared/errors/source-location.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { didYouMean } from '../../../shared/suggest.js';
import type { Rule } from '../rule.js';
import { listEndpointCalls } from '../subject/calls.js';
import { declaredFields } from '../subject/declared-names.js';
import { holdsRequests } from '../subject/walk-requests.js';

export const unknownEndpoint: Rule = {
  id: 'unknown-endpoint',
  level: 'error',
  summary: 'A request calls an endpoint that the app does not have, or an endpoint calls another one.',
  why: 'The run ends with a RuntimeError. Endpoints are called by name, and an endpoint cannot call another one.',
  bad: '{ "endpoint": "listUser" }',
  good: '{ "endpoint": "listUsers" }',
  check: ({ refusals }, report) => {
    for (const { error, isOfEndpoint } of refusals)
      if (isOfEndpoint) report({ message: error.message, place: error.place ?? {} });
  },
};

export const endpointInput: Rule = {
  id: 'endpoint-input',
  level: 'warning',
  summary: 'A call passes an `input` that the form of the endpoint does not declare.',
  why: 'The endpoint reads its input as `parameters`, by the names of its form. A misspelt name is undefined there.',
  bad: '{ "endpoint": "findUser", "input": { "emial": "{{parameters.email}}" } }',
  good: '{ "endpoint": "findUser", "input": { "email": "{{parameters.email}}" } }',
  check: ({ app, documents }, report) => {
    for (const checked of documents.filter(holdsRequests)) {
      for (const { name, input, inputPointer } of listEndpointCalls(checked)) {
        const form = app.endpoints.get(name)?.input;
        if (form === undefined || !isPlainObject(input)) continue;
        const declared = declaredFields(form);
        if (declared.isOpen) continue;
        for (const key of Object.keys(input)) {
          if (declared.names.has(key) || key.includes('{{')) continue;
          const message = `The endpoint "${name}" has no input "${key}".${didYouMean(key, declared.names)}`;
          const place = checked.document.locationOf(childPointer(inputPointer, key), undefined, 'key');
          report({ message, place });
        }
      }
    }
  },
};
