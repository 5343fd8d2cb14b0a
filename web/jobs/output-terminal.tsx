// The output of a command as lines. It follows the end while the user is scrolled to the end.
import { useSignal } from '@preact/signals'
import { Component, type ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { toErrorMessage } from '../session/session.ts'
import { formatBytes } from '../text/format.ts'
import type { OutputFollower } from './output-follower.ts'
import { OutputSearch } from './output-search.tsx'
import type { OutputLine, StyledRun } from './output-tail.ts'

/** Lines that are rendered together. */
const BLOCK_LINES = 100
/** Within this distance counts as scrolled to the end. */
const NEAR_END_PX = 24

interface Props {
  output: OutputFollower
  label: string
  /** Additional buttons. */
  children: ComponentChildren
}

export function OutputTerminal({ output, label, children }: Props) {
  output.version.value
  const box = useRef<HTMLElement>(null)
  const follows = useSignal(true)
  const { lines, droppedLines } = output.tail
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
        <OutputSearch output={output} box={box} />
        <SkippedNotice bytes={output.skippedBytes} lines={droppedLines} />
      </div>
      {output.error.value !== undefined && <p class="notice bad">{toErrorMessage(output.error.value)}</p>}
      <section
        ref={box}
        class="terminal"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by its focus
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          follows.value = scrollHeight - scrollTop - clientHeight < NEAR_END_PX
        }}
      >
        {isEmpty && <p class="muted">{output.hasEnded.value ? 'No output.' : 'No output yet.'}</p>}
        <pre>
          {toBlocks(lines, droppedLines).map(({ key, lines }) => (
            <TerminalBlock key={key} lines={lines} />
          ))}
        </pre>
      </section>
    </>
  )
}

function SkippedNotice({ bytes, lines }: { bytes: number; lines: number }) {
  if (bytes + lines === 0) return null
  const what = [
    bytes > 0 && `the first ${formatBytes(bytes)}`,
    lines > 0 && `${lines.toLocaleString('en')} ${lines === 1 ? 'line' : 'lines'}`
  ].filter(Boolean)
  return <span class="muted small">Without {what.join(' and ')}: download the complete output</span>
}

/** Splits lines into blocks. A block keeps its identity while none of its lines changes. */
function toBlocks(lines: readonly OutputLine[], dropped: number): { key: number; lines: readonly OutputLine[] }[] {
  const blocks = []
  for (let at = -(dropped % BLOCK_LINES); at < lines.length; at += BLOCK_LINES)
    blocks.push({ key: dropped + at, lines: lines.slice(Math.max(0, at), at + BLOCK_LINES) })
  return blocks
}

interface TerminalBlockProps {
  lines: readonly OutputLine[]
}

class TerminalBlock extends Component<TerminalBlockProps> {
  override shouldComponentUpdate({ lines }: TerminalBlockProps) {
    const before = this.props.lines
    return before.length !== lines.length || before.some((line, n) => line !== lines[n])
  }

  override render({ lines }: TerminalBlockProps) {
    return (
      <div class="terminal-block">
        {lines.map((line, n) => (
          <div key={n}>{line.length === 0 ? '\n' : line.map(renderRun)}</div>
        ))}
      </div>
    )
  }
}

function renderRun({ text, look, color, background }: StyledRun) {
  if (look.length === 0 && color === undefined && background === undefined) return text
  return (
    <span class={look.join(' ')} style={{ color, background }}>
      {text}
    </span>
  )
}
