// Approval with modified params: a form from the tool's schema, then a dry run of the modified call, then the decision. Its
// digest goes with the decision, so that only what was previewed is approved.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type DryRun, ToolgateError } from '../../src/client/client.ts'
import { EndMark } from '../diff/end-mark.tsx'
import { findOwnScript } from '../diff/own-script.ts'
import { PreviewView } from '../diff/preview.tsx'
import { createReview, isFullyViewed, isPartViewed, type Review } from '../diff/review.ts'
import { ReviewStatus } from '../diff/review-status.tsx'
import { Form } from '../form/form.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { client, toErrorMessage } from '../session/session.ts'
import { Dialog, SubmitButton } from '../shell/dialog.tsx'
import { ErrorNotice } from '../shell/error-notice.tsx'
import type { WaitingCall } from '../store/approvals.ts'
import { markInvisible } from '../text/invisible.tsx'
import { TextBlock } from '../text/text-block.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { useGuard } from './decision-guard.ts'
import { findEditableFile, ProposedText } from './proposed-text.tsx'
import { approveAndGoOn } from './queue.ts'

/** The preview of the modified call, and the original call as it was then. */
interface EditPreview {
  dryRun: DryRun
  call: WaitingCall
}

export function EditDialog({ call, onClose }: { call: WaitingCall; onClose: () => void }) {
  const [form, setForm] = useState<Form>()
  const [foreseen, setForeseen] = useState<EditPreview>()
  const [isAskedTwice, askTwice] = useState(false)
  const [edited, setEdited] = useState<'params' | 'text'>('params')
  const [failure, setFailure] = useState<string>()
  const looks = useRef(0)
  const inside = useRef<HTMLDivElement>(null)
  const guard = useGuard(String(looks.current))
  const fail = (error: unknown) => setFailure(toErrorMessage(error))
  const { digest, level } = call.approval
  const file = findEditableFile(call)
  useEffect(() => {
    client()
      .tool(call.tool, { workspace: call.workspace })
      .then(({ input }) => setForm(new Form(input, call.params)))
      .catch(fail)
  }, [])
  // The fields are rendered after the dialog, which could focus only a button.
  useEffect(() => inside.current?.querySelector<HTMLElement>('input, textarea, select')?.focus(), [form])
  // The preview of the call has changed, and with it perhaps that of the modified one.
  useEffect(() => {
    if (!foreseen || foreseen.call.approval.digest === digest) return
    lookAway()
    setFailure(CHANGED_MESSAGE)
  }, [digest])

  async function look() {
    if (!form || form.hasDrafts) return
    setFailure(undefined)
    try {
      const dryRun = await client().dryRunModified(call, form.value.peek() as Record<string, unknown>)
      looks.current++
      setForeseen({ dryRun, call })
    } catch (error) {
      if (error instanceof ToolgateError && error.problem?.errors) form.setErrors(error.problem.errors, '/params')
      else fail(error)
    }
  }

  function lookAway() {
    setForeseen(undefined)
    askTwice(false)
  }

  const review = useMemo(
    () =>
      foreseen &&
      createReview(`${call.tool_call_id} edited ${looks.current}`, foreseen.dryRun.preview, form?.value.peek()),
    [foreseen]
  )
  const mayRun = foreseen && foreseen.dryRun.verdict.decision !== 'deny'
  const isViewed = review !== undefined && isFullyViewed(review)
  function submit() {
    if (!mayRun || !isViewed || !guard.acceptsClick()) return
    if (level === 'strict' || foreseen.dryRun.verdict.decision === 'strict') askTwice(true)
    else decide()
  }

  function decide(confirmed?: { confirm: true }) {
    if (!form || !foreseen || !review) return
    onClose()
    const { dryRun, call } = foreseen
    const decision = {
      modified_params: form.value.peek() as Record<string, unknown>,
      ...(dryRun.digest !== undefined && { modified_digest: dryRun.digest }),
      ...confirmed
    }
    void approveAndGoOn(call, decision, review)
  }

  return (
    <>
      <Dialog
        title={`Edit the params of ${call.tool}`}
        onClose={onClose}
        onSubmit={() => (foreseen ? submit() : void look())}
      >
        <div class="inside" ref={inside}>
          <ErrorNotice text={failure} />
          {foreseen && review ? (
            <DryRunPreview tool={call.tool} run={foreseen.dryRun} params={form?.value.peek()} review={review} />
          ) : (
            form && (
              <>
                {file && (
                  <fieldset class="choice">
                    <legend class="spoken">Edit</legend>
                    {(['params', 'text'] as const).map(each => (
                      <button
                        key={each}
                        class="button small"
                        type="button"
                        aria-pressed={edited === each}
                        onClick={() => setEdited(each)}
                      >
                        {each === 'params' ? 'Params' : 'Text of the file'}
                      </button>
                    ))}
                  </fieldset>
                )}
                {file && edited === 'text' ? (
                  <ProposedText file={file} onChange={params => form.set([], params)} />
                ) : (
                  <SchemaForm form={form} label={`Params of ${call.tool}`} />
                )}
              </>
            )
          )}
          {review && mayRun && <ReviewStatus review={review} />}
          <div class="row end">
            <button class="button" type="button" onClick={foreseen ? lookAway : onClose}>
              Back
            </button>
            {foreseen ? (
              <SubmitButton kind="primary" aria-disabled={!mayRun || !isViewed || !guard.isReady} onClick={submit}>
                Approve this
              </SubmitButton>
            ) : (
              <SubmitButton kind="primary" disabled={!form} onClick={look}>
                Preview
              </SubmitButton>
            )}
          </div>
        </div>
      </Dialog>
      {foreseen && isAskedTwice && (
        <ConfirmDialog
          title={foreseen.dryRun.preview?.title ?? NO_PREVIEW_TITLE}
          reason={foreseen.dryRun.verdict.reason}
          guardKey={String(looks.current)}
          onYes={() => decide({ confirm: true })}
          onClose={() => askTwice(false)}
        />
      )}
    </>
  )
}

const CHANGED_MESSAGE = 'The preview has changed. Nothing was approved. Review the new preview.'
const NO_PREVIEW_TITLE = 'No preview is available.'

interface DryRunPreviewProps {
  tool: string
  run: DryRun
  params: unknown
  review: Review
}

/** Takes the focus, so that keyboard input continues where the form was. */
function DryRunPreview({ tool, run: { preview, verdict }, params, review }: DryRunPreviewProps) {
  const showsParams = review.parts.some(({ kind }) => kind === 'params')
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => heading.current?.focus(), [])
  return (
    <>
      <h3 ref={heading} tabIndex={-1}>
        {markInvisible(preview?.title ?? NO_PREVIEW_TITLE)}
      </h3>
      {verdict.decision === 'deny' ? (
        <p class="notice bad">Rejected: {markInvisible(verdict.reason)}</p>
      ) : (
        <p class="muted">{markInvisible(verdict.reason)}</p>
      )}
      <PreviewView
        preview={preview ?? { title: NO_PREVIEW_TITLE }}
        review={review}
        script={findOwnScript(tool, params)}
        isStrict={verdict.decision === 'strict'}
      />
      {showsParams && (
        <div data-viewed={isPartViewed(review, 'params')}>
          <TextBlock text={JSON.stringify(params, null, 2)} label="Params" isFullHeight />
          <EndMark review={review} part="params" />
        </div>
      )}
    </>
  )
}
