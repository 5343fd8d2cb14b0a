// The preview of a call before the decision: notes, text and diff.
import { markInvisible } from '../text/invisible.tsx'
import { TextBlock } from '../text/text-block.tsx'
import { Diff } from './diff.tsx'
import { EndMark } from './end-mark.tsx'
import { isPartViewed, type Review, type ReviewedPreview } from './review.ts'

interface PreviewProps {
  preview: ReviewedPreview
  /** Marks each part as viewed once its end has been on the screen. */
  review?: Review
}

export const PreviewView = ({ preview, review }: PreviewProps) => (
  <>
    <PreviewNotes preview={preview} />
    {review && <EndMark review={review} part="notes" />}
    {preview.text !== undefined && <PreviewText text={preview.text} review={review} />}
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

/** Shows the text in full height if it is reviewed. */
export const PreviewText = ({ text, review }: { text: string; review?: Review | undefined }) => (
  <div data-viewed={review && isPartViewed(review, 'text')}>
    <TextBlock text={text} label="What it would do" isFullHeight={review !== undefined} />
    {review && <EndMark review={review} part="text" />}
  </div>
)
