// The preview of a call before the decision: notes, text and diff.
import type { PreviewSection } from '../../src/client/client.ts'
import { markInvisible } from '../text/invisible.tsx'
import { TextBlock } from '../text/text-block.tsx'
import { Diff } from './diff.tsx'
import { EndMark } from './end-mark.tsx'
import { isPartViewed, type Review, type ReviewedPreview } from './review.ts'
import type { OwnScript } from './script-sections.ts'
import { ScriptText } from './script-text.tsx'

interface PreviewProps {
  preview: ReviewedPreview
  /** Marks each part as viewed once its end has been on the screen. */
  review?: Review
  /** The script that the call itself contains. */
  script?: OwnScript | undefined
}

export const PreviewView = ({ preview, review, script }: PreviewProps) => (
  <>
    <PreviewNotes preview={preview} />
    {review && <EndMark review={review} part="notes" />}
    {preview.text !== undefined && (
      <PreviewText text={preview.text} parts={preview.sections} review={review} script={script} />
    )}
    {preview.diff !== undefined && <Diff text={preview.diff} {...(review && { review })} />}
  </>
)

export const PreviewNotes = ({ preview: { notes = [], information = [] } }: { preview: ReviewedPreview }) => (
  <>
    {notes.map(note => (
      <p key={note} class="notice warn">
        {markInvisible(note)}
      </p>
    ))}
    {information.map(fact => (
      <p key={fact} class="notice">
        {markInvisible(fact)}
      </p>
    ))}
  </>
)

interface PreviewTextProps extends Pick<PreviewProps, 'script'> {
  text: string
  parts?: readonly PreviewSection[] | undefined
  review?: Review | undefined
}

/** Shows the text in full height if it is reviewed. */
export const PreviewText = ({ text, parts, review, script }: PreviewTextProps) => (
  <div data-viewed={review && isPartViewed(review, 'text')}>
    <TextBlock text={text} label="Effect" isFullHeight={review !== undefined}>
      <ScriptText text={text} parts={parts} own={script} />
    </TextBlock>
    {review && <EndMark review={review} part="text" />}
  </div>
)
