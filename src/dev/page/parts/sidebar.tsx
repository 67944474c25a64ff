import type { ComponentChildren, JSX } from 'preact';
import type { AppState } from '../../protocol.js';
import { route, writeRoute } from '../state/route.js';
import { app } from '../state/store.js';
import { TypeTag } from './badges.js';
import { moveFocus } from './move-focus.js';
import { RunList } from './run-list.js';
import { TestList } from './test-list.js';

/** Components of the app, and its runs. */
export function Sidebar(): JSX.Element {
  const { value: state } = app;
  return (
    <nav class="sidebar" aria-label="App and runs">
      {state === undefined ? <p class="empty-line">Reading the app …</p> : <Components state={state} />}
      <RunList />
    </nav>
  );
}

function Components({ state }: { readonly state: AppState }): JSX.Element {
  const triggers = state.modules.filter(({ type }) => type.endsWith('trigger'));
  const modules = state.modules.filter(({ type }) => !type.endsWith('trigger'));
  const grave = state.findings.filter(({ level }) => level === 'error').length;
  return (
    <section class="components" onKeyDown={moveFocus} aria-label="Components of the app">
      <a
        class="nav-item findings"
        data-item
        href={writeRoute('findings')}
        aria-current={route.value.view === 'findings' ? 'page' : undefined}
      >
        <span>Findings of the check</span>
        <span class={`tag ${grave > 0 ? 'bad' : state.findings.length > 0 ? 'warn' : ''}`}>
          {state.findings.length}
        </span>
      </a>
      <TestList />
      <Group title="Modules" size={modules.length} isOpen>
        {modules.map(({ name, label, type }) => (
          <Item key={name} view="module" name={name} title={label ?? name}>
            <TypeTag type={type} />
          </Item>
        ))}
      </Group>
      <Group title="Triggers" size={triggers.length} isOpen>
        {triggers.map(({ name, label, type }) => (
          <Item key={name} view="module" name={name} title={label ?? name}>
            <TypeTag type={type} />
          </Item>
        ))}
      </Group>
      <Group title="Webhooks" size={state.webhooks.length} isOpen>
        {state.webhooks.map(({ name, label }) => (
          <Item key={name} view="webhook" name={name} title={label ?? name} />
        ))}
      </Group>
      <Group title="RPCs" size={state.rpcs.length} isOpen={state.modules.length === 0}>
        {state.rpcs.map(({ name, label }) => (
          <Item key={name} view="rpc" name={name} title={label ?? name} />
        ))}
      </Group>
      <Group title="Connections" size={state.connections.length} isOpen={false}>
        {state.connections.map(({ name, label, type }) => (
          <Item key={name} view="connection" name={name} title={label ?? name}>
            <span class="tag">{type}</span>
          </Item>
        ))}
      </Group>
    </section>
  );
}

interface GroupProps {
  readonly title: string;
  readonly size: number;
  readonly isOpen: boolean;
  readonly children: ComponentChildren;
}

function Group({ title, size, isOpen, children }: GroupProps): JSX.Element | null {
  if (size === 0) return null;
  return (
    <details class="group" open={isOpen}>
      <summary>
        {title} <span class="muted">{size}</span>
      </summary>
      {children}
    </details>
  );
}

interface ItemProps {
  readonly view: string;
  readonly name: string;
  readonly title: string;
  readonly children?: ComponentChildren;
}

function Item({ view, name, title, children }: ItemProps): JSX.Element {
  const isHere = route.value.view === view && route.value.id === name;
  return (
    <a
      class="nav-item"
      data-item
      href={writeRoute(view, name)}
      aria-current={isHere ? 'page' : undefined}
      title={name}
    >
      <span class="name">{title}</span>
      {children}
    </a>
  );
}
