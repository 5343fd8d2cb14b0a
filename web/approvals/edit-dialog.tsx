// Approving with other params: a form by the schema of the tool, then what the changed call would do, then the decision.
// So what is approved is what was seen, here too: its digest goes with the decision.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type DryRun, ToolgateError } from '../../src/client/client.ts'
import { Shown } from '../diff/preview.tsx'
import { Form } from '../form/form.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { client, whatFailed } from '../session/session.ts'
import { Dialog } from '../shell/dialog.tsx'
import { Fault } from '../shell/error-notice.tsx'
import type { Waiting } from '../store/approvals.ts'
import { marked } from '../text/invisible.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { approve } from './decide.ts'
import { useGuard } from './decision-guard.ts'

/** What the changed call would do, and the call that it was asked in place of, as it was then. */
interface Foreseen {
  run: DryRun
  call: Waiting
}

export function EditDialog({ call, onClose }: { call: Waiting; onClose: () => void }) {
  const [form, setForm] = useState<Form>()
  const [foreseen, setForeseen] = useState<Foreseen>()
  const [isAskedTwice, askTwice] = useState(false)
  const [failure, setFailure] = useState<string>()
  const looks = useRef(0)
  const inside = useRef<HTMLDivElement>(null)
  const guard = useGuard(String(looks.current))
  const fail = (error: unknown) => setFailure(whatFailed(error))
  const { digest, level } = call.approval
  useEffect(() => {
    client()
      .tool(call.tool, { workspace: call.workspace })
      .then(({ input }) => setForm(new Form(input, call.params)))
      .catch(fail)
  }, [])
  // The fields come after the dialog, which could give its focus to a button alone.
  useEffect(() => inside.current?.querySelector<HTMLElement>('input, textarea, select')?.focus(), [form])
  // What the call would do has changed, and with it perhaps what the changed one would.
  useEffect(() => {
    if (!foreseen || foreseen.call.approval.digest === digest) return
    lookAway()
    setFailure(CHANGED)
  }, [digest])

  async function look() {
    if (!form || form.unfinished) return
    setFailure(undefined)
    const { session_id, workspace, agent } = call
    const more = { session_id, workspace, ...(agent !== undefined && { agent }) }
    try {
      const run = await client().dryRun(call.tool, form.value.peek() as Record<string, unknown>, more)
      looks.current++
      setForeseen({ run, call })
    } catch (error) {
      if (error instanceof ToolgateError && error.problem?.errors) form.tell(error.problem.errors, '/params')
      else fail(error)
    }
  }

  function lookAway() {
    setForeseen(undefined)
    askTwice(false)
  }

  const mayRun = foreseen && foreseen.run.verdict.decision !== 'deny'
  function submit() {
    if (!mayRun || !guard.clicks()) return
    if (level === 'strict' || foreseen.run.verdict.decision === 'strict') askTwice(true)
    else decide()
  }

  function decide(confirmed?: { confirm: true }) {
    if (!form || !foreseen) return
    onClose()
    const { run, call } = foreseen
    void approve(call, {
      modified_params: form.value.peek() as Record<string, unknown>,
      ...(run.digest !== undefined && { modified_digest: run.digest }),
      ...confirmed
    })
  }

  return (
    <>
      <Dialog
        title={`Edit the params of ${call.tool}`}
        onClose={onClose}
        onSubmit={() => (foreseen ? submit() : void look())}
      >
        <div class="inside" ref={inside}>
          <Fault text={failure} />
          {foreseen ? (
            <WouldDo run={foreseen.run} />
          ) : (
            form && <SchemaForm form={form} label={`Params of ${call.tool}`} />
          )}
          <div class="row end">
            <button class="button" type="button" onClick={foreseen ? lookAway : onClose}>
              Back
            </button>
            {foreseen ? (
              <button class="button primary" type="button" aria-disabled={!mayRun || !guard.rested} onClick={submit}>
                Approve this
              </button>
            ) : (
              <button class="button primary" type="button" disabled={!form} onClick={look}>
                Show what it would do
              </button>
            )}
          </div>
        </div>
      </Dialog>
      {foreseen && isAskedTwice && (
        <ConfirmDialog
          title={foreseen.run.preview?.title ?? NOTHING_SHOWN}
          reason={foreseen.run.verdict.reason}
          what={String(looks.current)}
          onYes={() => decide({ confirm: true })}
          onClose={() => askTwice(false)}
        />
      )}
    </>
  )
}

const CHANGED = 'What would happen has changed. Nothing was approved: look at what it would do now.'
const NOTHING_SHOWN = 'It shows nothing beforehand.'

/** Takes the focus, so that keys go on where the form was. */
function WouldDo({ run: { preview, verdict } }: { run: DryRun }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => heading.current?.focus(), [])
  return (
    <>
      <h3 ref={heading} tabIndex={-1}>
        {marked(preview?.title ?? NOTHING_SHOWN)}
      </h3>
      {verdict.decision === 'deny' ? (
        <p class="notice bad">Refused: {marked(verdict.reason)}</p>
      ) : (
        <p class="muted">{marked(verdict.reason)}</p>
      )}
      {preview && <Shown preview={preview} />}
    </>
  )
}
