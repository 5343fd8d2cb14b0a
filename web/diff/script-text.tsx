// A section of a preview's text, with the colours of a script.
import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { renderColoured } from '../highlight/coloured-text.tsx'
import { highlightLines } from '../highlight/highlighter.ts'
import type { Language } from '../highlight/languages.ts'
import type { LineTokens } from '../highlight/tokens.ts'
import { useNearViewport } from '../highlight/use-near-viewport.ts'
import { markInvisible } from '../text/invisible.tsx'
import type { ScriptSection } from './script-sections.ts'

/** Lines that are coloured together once they are near the viewport. */
const BLOCK_LINES = 250

export const ScriptText = ({ section: { text, language } }: { section: ScriptSection }) =>
  language === undefined ? <span>{markInvisible(text)}</span> : <Script text={text} language={language} />

type Tokens = Signal<readonly LineTokens[] | undefined>

function Script({ text, language }: { text: string; language: Language }) {
  const lines = useMemo(() => text.split('\n'), [text])
  const tokens: Tokens = useSignal(undefined)
  useEffect(() => {
    let isCurrent = true
    void highlightLines(language, lines).then(found => {
      if (isCurrent) tokens.value = found
    })
    return () => {
      isCurrent = false
    }
  }, [lines, language])
  const starts = Array.from({ length: Math.ceil(lines.length / BLOCK_LINES) }, (_, i) => i * BLOCK_LINES)
  return (
    <>
      {starts.map(start => (
        <ScriptBlock key={start} lines={lines} start={start} tokens={tokens} />
      ))}
    </>
  )
}

interface ScriptBlockProps {
  lines: readonly string[]
  start: number
  tokens: Tokens
}

function ScriptBlock({ lines, start, tokens }: ScriptBlockProps) {
  const { ref, isNear } = useNearViewport<HTMLSpanElement>()
  const colours = isNear ? tokens.value : undefined
  const block = lines.slice(start, start + BLOCK_LINES)
  const end = start + block.length < lines.length ? '\n' : ''
  return (
    <span ref={ref}>
      {colours
        ? block.map((line, index) => [
            renderColoured(line, colours[start + index]),
            index < block.length - 1 ? '\n' : end
          ])
        : markInvisible(block.join('\n') + end)}
    </span>
  )
}
