import type { App } from '../../../engine/document/app.js';
import type { Document } from '../../../engine/document/document.js';
import { moduleForm, readForm } from '../../../engine/parameters/form.js';
import type { ParameterElement } from '../../../engine/parameters/parameter-spec.js';

/** Types of components that cases can run. */
export const RUN_TYPES = ['connection', 'module', 'rpc', 'endpoint', 'webhook'] as const;

/** A component that a case can run. */
export interface ComponentName {
  readonly type: (typeof RUN_TYPES)[number];
  readonly name: string;
}

/** All components of an app that cases can run. */
export function listRunnable(app: App): readonly ComponentName[] {
  return RUN_TYPES.flatMap((type) => [...app[`${type}s` as const].keys()].map((name) => ({ type, name })));
}

/** The elements of the form of a component; none for an unknown one. */
export function formOf(
  app: App,
  { type: written, name }: { readonly type: string; readonly name: string },
): readonly ParameterElement[] {
  const type = RUN_TYPES.find((known) => known === written);
  if (type === undefined) return [];
  if (type === 'endpoint') return readForm(app.endpoints.get(name)?.input).elements;
  if (type !== 'module') return readForm(app[`${type}s` as const].get(name)?.params).elements;
  const module = app.modules.get(name);
  return module === undefined ? [] : moduleForm(module).elements;
}

export function communicationOf(app: App, { type, name }: ComponentName): Document | undefined {
  return app[`${type}s` as const].get(name)?.communication;
}
