import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ShownValue } from '../../protocol.js';

/** A value that is shown beside what was pointed at. */
export interface Tip {
  readonly source: string;
  readonly value: ShownValue;
  /** What it belongs to. */
  readonly anchor: Element;
  /** Whether somebody got there by key, so that it is told of to those who do not see it. */
  readonly isWalked: boolean;
}

interface TipProps {
  /** What the element that has it is described by. */
  readonly id: string;
  readonly tip: Tip | undefined;
  /** The pointer is on it, or has left it. */
  readonly onPoint: (isOn: boolean) => void;
  /** What it belongs to has been scrolled out of sight. */
  readonly onLost: () => void;
}

/** Between a tip, what it belongs to and the edge of the window, in pixels. */
const GAP = 6;

/** The value of what is pointed at or focused. It stays while the pointer is on it; Escape closes it. */
export function ValueTip({ id, tip, onPoint, onLost }: TipProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null || tip === undefined) return undefined;
    const { anchor } = tip;
    const place = (): void => placeBeside(current, anchor);
    place();
    // It goes along with a text that is scrolled: one that went away would also go when the scrolling is what brought
    // the pointer here.
    addEventListener('scroll', place, { capture: true, passive: true });
    const sight = new IntersectionObserver((seen) => {
      if (seen.at(-1)?.isIntersecting === false) onLost();
    });
    sight.observe(anchor);
    return () => {
      removeEventListener('scroll', place, { capture: true });
      sight.disconnect();
    };
  }, [tip]);
  return (
    <>
      <div
        id={id}
        role="tooltip"
        class="value-tip"
        ref={box}
        hidden={tip === undefined}
        onPointerEnter={() => onPoint(true)}
        onPointerLeave={() => onPoint(false)}
      >
        {tip !== undefined && (
          <>
            <code>{tip.source}</code>
            <span class={`tip-value ${tip.value.kind}`}>{writeShown(tip.value)}</span>
          </>
        )}
      </div>
      <p class="unseen" aria-live="polite">
        {tip?.isWalked === true && `${tip.source}: ${writeShown(tip.value)}`}
      </p>
    </>
  );
}

function placeBeside(box: HTMLElement, anchor: Element): void {
  const own = box.getBoundingClientRect();
  // Of something that takes several lines, the first.
  const at = anchor.getClientRects()[0] ?? anchor.getBoundingClientRect();
  const hasRoomBelow = at.bottom + GAP + own.height <= innerHeight;
  const left = Math.max(GAP, Math.min(at.left, innerWidth - own.width - GAP));
  const top = hasRoomBelow ? at.bottom + GAP : Math.max(GAP, at.top - GAP - own.height);
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}

/** A value as a person reads it. */
export function writeShown({ kind, text, isCut }: ShownValue): string {
  return kind === 'nothing' ? 'nothing (undefined)' : `${text}${isCut ? ' …' : ''}`;
}
