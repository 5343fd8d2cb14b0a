// Search in the output of a command. Matches are marked by the browser, so that lines are not rendered again.
import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import type { OutputFollower } from './output-follower.ts'
import { findMatches, MAX_MATCHES, type OutputMatch } from './output-matches.ts'

const MARKS = { all: 'output-match', current: 'output-current-match' }

export function OutputSearch({ output, box }: { output: OutputFollower; box: RefObject<HTMLElement | null> }) {
  const query = useSignal('')
  /** Undefined: the last one, since the output is shown from its end. */
  const selected = useSignal<number | undefined>(undefined)
  const version = output.version.value
  const matches = useMemo(() => findMatches(output.tail.lines, query.value), [query.value, version])
  const index = Math.min(selected.value ?? matches.length - 1, matches.length - 1)
  const match = matches[index]

  useLayoutEffect(() => {
    if (!box.current || !CSS.highlights) return
    const ranges = toRanges(box.current, matches)
    CSS.highlights.set(MARKS.all, new Highlight(...ranges))
    CSS.highlights.set(MARKS.current, new Highlight(...ranges.slice(index, index + 1)))
  }, [matches, index])
  useEffect(
    () => () => {
      for (const name of Object.values(MARKS)) CSS.highlights?.delete(name)
    },
    []
  )
  useLayoutEffect(() => {
    if (match && box.current) lineElements(box.current)[match.line]?.scrollIntoView({ block: 'nearest' })
  }, [query.value, index])

  const move = (by: number) => {
    if (matches.length > 0) selected.value = (index + by + matches.length) % matches.length
  }
  return (
    <search class="row output-search">
      <input
        type="search"
        class="input"
        aria-label="Search in the output"
        placeholder="Search"
        spellcheck={false}
        value={query.value}
        onInput={({ currentTarget }) => {
          query.value = currentTarget.value
          selected.value = undefined
        }}
        onKeyDown={event => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          move(event.shiftKey ? -1 : 1)
        }}
      />
      <span class="muted small number" role="status">
        {query.value !== '' && describeMatches(index, matches.length)}
      </span>
    </search>
  )
}

const describeMatches = (index: number, count: number) =>
  count === 0 ? 'No match' : `${index + 1} of ${count === MAX_MATCHES ? `${count} or more` : count}`

const lineElements = (box: HTMLElement) => box.querySelectorAll('.terminal-block > div')

function toRanges(box: HTMLElement, matches: readonly OutputMatch[]): Range[] {
  const lines = lineElements(box)
  return matches.flatMap(({ line, start, end }) => {
    const element = lines[line]
    if (!element) return []
    const range = new Range()
    range.setStart(...findPosition(element, start))
    range.setEnd(...findPosition(element, end))
    return [range]
  })
}

/** Returns the text node at an offset in the text of a line, and the offset in that node. */
function findPosition(line: Element, offset: number): [node: Node, offset: number] {
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
  let left = offset
  let node: Node = line
  while (walker.nextNode()) {
    node = walker.currentNode
    const { length } = node as Text
    if (left <= length) return [node, left]
    left -= length
  }
  return [node, node === line ? 0 : (node as Text).length]
}
