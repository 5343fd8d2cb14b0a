// What a command prints, as lines. It stays at the end for as long as one looks at the end.
import { useSignal } from '@preact/signals'
import { Component, type ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { whatFailed } from '../session/session.ts'
import { bytesOf } from '../text/format.ts'
import type { FollowedOutput } from './output-follower.ts'
import type { Line, Run } from './output-tail.ts'

/** Lines that are drawn, and drawn anew, together. */
const BLOCK = 100
/** So near to the end is at the end. */
const NEAR = 24

interface Props {
  output: FollowedOutput
  label: string
  /** Further buttons. */
  children: ComponentChildren
}

export function Terminal({ output, label, children }: Props) {
  output.version.value
  const box = useRef<HTMLElement>(null)
  const follows = useSignal(true)
  const { lines, dropped } = output.tail
  const toEnd = () => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight
  }
  useLayoutEffect(() => {
    if (follows.peek()) toEnd()
  })
  const isEmpty = lines.length === 1 && lines[0]!.length === 0
  return (
    <>
      <div class="row terminal-bar">
        <button
          type="button"
          class="button"
          aria-pressed={follows.value}
          onClick={() => {
            follows.value = !follows.peek()
            if (follows.peek()) toEnd()
          }}
        >
          Follow
        </button>
        {children}
        <Skipped bytes={output.skipped} lines={dropped} />
      </div>
      {output.fault.value !== undefined && <p class="notice bad">{whatFailed(output.fault.value)}</p>}
      <section
        ref={box}
        class="terminal"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by its focus
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          follows.value = scrollHeight - scrollTop - clientHeight < NEAR
        }}
      >
        {isEmpty && <p class="muted">{output.ended.value ? 'It printed nothing.' : 'It has printed nothing yet.'}</p>}
        <pre>
          {blocksOf(lines, dropped).map(({ key, lines }) => (
            <Block key={key} lines={lines} />
          ))}
        </pre>
      </section>
    </>
  )
}

function Skipped({ bytes, lines }: { bytes: number; lines: number }) {
  if (bytes + lines === 0) return null
  const what = [
    bytes > 0 && `the first ${bytesOf(bytes)}`,
    lines > 0 && `${lines.toLocaleString('en')} ${lines === 1 ? 'line' : 'lines'}`
  ].filter(Boolean)
  return <span class="muted small">Without {what.join(' and ')}: download for all</span>
}

/** Lines by the hundreds. Those of one block are the same as long as none of them changes. */
function blocksOf(lines: readonly Line[], dropped: number): { key: number; lines: readonly Line[] }[] {
  const blocks = []
  for (let at = -(dropped % BLOCK); at < lines.length; at += BLOCK)
    blocks.push({ key: dropped + at, lines: lines.slice(Math.max(0, at), at + BLOCK) })
  return blocks
}

interface BlockProps {
  lines: readonly Line[]
}

class Block extends Component<BlockProps> {
  override shouldComponentUpdate({ lines }: BlockProps) {
    const before = this.props.lines
    return before.length !== lines.length || before.some((line, n) => line !== lines[n])
  }

  override render({ lines }: BlockProps) {
    return (
      <div class="terminal-block">
        {lines.map((line, n) => (
          <div key={n}>{line.length === 0 ? '\n' : line.map(Stretch)}</div>
        ))}
      </div>
    )
  }
}

function Stretch({ text, look, color, background }: Run) {
  if (look.length === 0 && color === undefined && background === undefined) return text
  return (
    <span class={look.join(' ')} style={{ color, background }}>
      {text}
    </span>
  )
}
