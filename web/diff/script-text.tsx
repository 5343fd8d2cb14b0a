// The text of a preview, with the colours of its scripts.
import { type Signal, useSignal } from '@preact/signals'
import { Fragment } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import type { PreviewSection } from '../../src/client/client.ts'
import { renderColoured } from '../highlight/coloured-text.tsx'
import { highlightLines } from '../highlight/highlighter.ts'
import type { LineTokens } from '../highlight/tokens.ts'
import { useNearViewport } from '../highlight/use-near-viewport.ts'
import { markInvisible } from '../text/invisible.tsx'
import { type OwnScript, type ScriptSection, splitScripts } from './script-sections.ts'

/** Lines that are coloured together once they are near the viewport. */
const BLOCK_LINES = 250

interface ScriptTextProps {
  text: string
  /** The parts of the text, if it has several. */
  parts?: readonly PreviewSection[] | undefined
  own?: OwnScript | undefined
}

export function ScriptText({ text, parts, own }: ScriptTextProps) {
  const sections = useMemo(() => splitScripts(text, { sections: parts, own }), [text, parts, own?.text, own?.language])
  return (
    <>
      {sections.map((section, index) =>
        section.language === undefined ? (
          <Fragment key={index}>{markInvisible(section.text)}</Fragment>
        ) : (
          <Script key={index} section={section} />
        )
      )}
    </>
  )
}

type Tokens = Signal<readonly LineTokens[] | undefined>

function Script({ section: { text, language, indent } }: { section: ScriptSection }) {
  const lines = useMemo(() => text.split('\n'), [text])
  const tokens: Tokens = useSignal(undefined)
  useEffect(() => {
    let isCurrent = true
    void highlightLines(
      language!,
      lines.map(line => line.slice(indent))
    ).then(found => {
      if (isCurrent) tokens.value = found
    })
    return () => {
      isCurrent = false
    }
  }, [lines, language, indent])
  const starts = Array.from({ length: Math.ceil(lines.length / BLOCK_LINES) }, (_, i) => i * BLOCK_LINES)
  return (
    <>
      {starts.map(start => (
        <ScriptBlock key={start} lines={lines} start={start} indent={indent} tokens={tokens} />
      ))}
    </>
  )
}

interface ScriptBlockProps {
  lines: readonly string[]
  start: number
  indent: number
  tokens: Tokens
}

function ScriptBlock({ lines, start, indent, tokens }: ScriptBlockProps) {
  const { ref, isNear } = useNearViewport<HTMLSpanElement>()
  const colours = isNear ? tokens.value : undefined
  const block = lines.slice(start, start + BLOCK_LINES)
  const end = start + block.length < lines.length ? '\n' : ''
  return (
    <span ref={ref}>
      {colours
        ? block.map((line, index) => [
            line.slice(0, indent),
            renderColoured(line.slice(indent), colours[start + index]),
            index < block.length - 1 ? '\n' : end
          ])
        : markInvisible(block.join('\n') + end)}
    </span>
  )
}
