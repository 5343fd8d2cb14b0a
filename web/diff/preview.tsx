// The preview of a call before the decision: the command or text, warnings, the parts of a command, the files that it executes, and
// the diff.
import { useMemo } from 'preact/hooks'
import { describeCommandPart } from '../../src/protocol/command-part.ts'
import { markInvisible } from '../text/invisible.tsx'
import { NoteText } from '../text/note-text.tsx'
import { TextBlock } from '../text/text-block.tsx'
import { Diff } from './diff.tsx'
import { EndMark } from './end-mark.tsx'
import { executedKey, isPartViewed, type Review, type ReviewedPreview } from './review.ts'
import { type ExecutedFile, type OwnScript, splitText } from './script-sections.ts'
import { ScriptText } from './script-text.tsx'

interface PreviewProps {
  preview: ReviewedPreview
  /** Marks each part as viewed once its end has been on the screen. */
  review?: Review | undefined
  /** The script that the call itself contains. */
  script?: OwnScript | undefined
  /** The call needs strict approval. */
  isStrict: boolean
  /** Number of the call, where several are shown: labels contain it. */
  position?: number | undefined
}

export const PreviewView = ({ preview, review, script, isStrict }: PreviewProps) => (
  <>
    <CallEffect preview={preview} review={review} script={script} isStrict={isStrict} />
    {!script && <CallText preview={preview} review={review} />}
    <ExecutedFiles preview={preview} review={review} />
    {preview.diff !== undefined && <Diff text={preview.diff} {...(review && { review })} />}
  </>
)

/** A longer script begins with the list of its commands. */
const MAX_SCRIPT_LINES = 12

/** The script of the call, and the notes on it. */
export function CallEffect({ preview, review, script, isStrict, position }: PreviewProps) {
  const notes = <PreviewNotes preview={preview} review={review} isStrict={isStrict} />
  if (!script) return notes
  const text = <CallText preview={preview} review={review} script={script} position={position} />
  const isLong = preview.command_parts !== undefined && script.text.split('\n').length > MAX_SCRIPT_LINES
  return (
    <>
      {isLong && notes}
      {text}
      {!isLong && notes}
    </>
  )
}

/** The text without the executed files. A command is large. */
export function CallText({ preview: { text, sections }, review, script, position }: Omit<PreviewProps, 'isStrict'>) {
  if (text === undefined) return null
  const { call } = splitText(text, { sections, own: script })
  return (
    <div data-viewed={review && isPartViewed(review, 'text')} data-name="text">
      <TextBlock
        text={text}
        label={[script ? 'Command' : 'Effect', position].join(' ').trim()}
        isFullHeight={review !== undefined}
      >
        {call.map((section, index) => (
          <span key={index} class={section.language === undefined ? undefined : 'command'}>
            <ScriptText section={section} />
          </span>
        ))}
      </TextBlock>
      {review && <EndMark review={review} part="text" />}
    </div>
  )
}

/** Warnings, one row for each command of a line, and further information. */
function PreviewNotes({ preview, review, isStrict }: Omit<PreviewProps, 'script'>) {
  const { notes = [], information = [], command_parts = [] } = preview
  const partNotes = new Set(command_parts.map(describeCommandPart))
  const isOther = (note: string) => !partNotes.has(note)
  const warnings = notes.filter(isOther)
  return (
    <div class="notes" data-viewed={review && isPartViewed(review, 'notes')} data-name="notes">
      {warnings.length > 0 && (
        <div class="notice warn">
          {warnings.map(note => (
            <p key={note}>
              <NoteText text={note} />
            </p>
          ))}
        </div>
      )}
      {command_parts.length > 0 && <CommandParts parts={command_parts} isStrict={isStrict} />}
      {information.filter(isOther).map(fact => (
        <p key={fact} class="muted">
          <NoteText text={fact} />
        </p>
      ))}
      {review && <EndMark review={review} part="notes" />}
    </div>
  )
}

type CommandPart = NonNullable<ReviewedPreview['command_parts']>[number]

interface PartLabel {
  words: string
  title: string
  kind?: 'warn' | 'bad'
}

/** The classes of commands in words: the class of one command is not the level of the call. */
const PART_LABELS: Record<CommandPart['class'], PartLabel> = {
  auto: { words: 'reads', title: 'Only reads' },
  ask: { words: 'may change', title: 'Changes the workspace, runs its code, or uses the network' },
  strict: { words: 'high risk', title: 'Deletes, publishes, shows secrets, or hides its effect', kind: 'bad' },
  block: { words: 'blocked', title: 'Never runs', kind: 'bad' }
}

/** A strict command in a call that is not strict: only its effect is unclear, and the sandbox limits that effect. */
const UNCLEAR: PartLabel = { words: 'unclear', title: 'Its effect is unclear; the sandbox limits it', kind: 'warn' }

interface CommandPartsProps {
  parts: readonly CommandPart[]
  isStrict: boolean
}

const CommandParts = ({ parts, isStrict }: CommandPartsProps) => (
  <ol class="command-parts" aria-label="Commands of the line">
    {parts.map(({ text, class: needed, reason }, index) => {
      const { words, title, kind = '' } = needed === 'strict' && !isStrict ? UNCLEAR : PART_LABELS[needed]
      return (
        <li key={index}>
          <span class={`badge ${kind}`} title={title}>
            {words}
          </span>
          <code>{markInvisible(text)}</code>
          <span class="muted">{markInvisible(reason)}</span>
        </li>
      )
    })}
  </ol>
)

/** The files that a command executes. A folded file does not count as viewed. */
export function ExecutedFiles({ preview: { text = '', sections }, review }: Omit<PreviewProps, 'script' | 'isStrict'>) {
  const executed = useMemo(() => splitText(text, { sections }).executed, [text, sections])
  return (
    <>
      {executed.map((file, index) => (
        <details
          key={index}
          class="executed"
          open
          data-viewed={review && isPartViewed(review, executedKey(index))}
          data-name={file.path || file.heading}
        >
          <summary>
            <ExecutedName file={file} />
          </summary>
          <pre class="code">
            {file.format === 'none' ? markInvisible(file.heading) : <ScriptText section={file.script} />}
          </pre>
          {review && <EndMark review={review} part={executedKey(index)} />}
        </details>
      ))}
    </>
  )
}

function ExecutedName({ file: { path, entry, format, heading } }: { file: ExecutedFile }) {
  if (path === '') return <>{markInvisible(heading)}</>
  return (
    <>
      Executes <code>{markInvisible(path)}</code>
      {entry !== undefined && (
        <>
          {' '}
          · <code>{markInvisible(entry)}</code>
        </>
      )}{' '}
      {format === 'diff' && <span class="badge warn">changed since it was approved</span>}
      {format === 'none' && <span class="badge warn">content not shown</span>}
    </>
  )
}
