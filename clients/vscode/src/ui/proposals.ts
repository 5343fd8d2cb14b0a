// Proposals of agents for the text of a file: a diff whose right side the person can change before accepting it.
import * as vscode from 'vscode'
import type { EffectAnswer } from '../../../../src/client/client.ts'
import { cardText } from '../model/card.ts'
import type { DecisionGuard } from '../model/decision-guard.ts'
import { Displayed, describeMissing } from '../model/displayed.ts'
import { type Proposal, writeProposalCard } from '../model/proposal-card.ts'
import type { ActiveTab } from './active-tab.ts'
import type { CallDocuments } from './call-documents.ts'
import { type RegisterCommand, showBriefly } from './commands.ts'
import { type DisplayRecorder, wrapsLinesInDiff } from './display-recorder.ts'
import type { MemoryFiles } from './memory-files.ts'
import { cardUri, proposalUri, sideUri } from './uris.ts'

type Answer = EffectAnswer<'editor.show_diff'>

interface OpenProposal {
  readonly proposal: Proposal
  readonly before: vscode.Uri
  readonly after: vscode.Uri
  readonly card: vscode.Uri
  readonly displayed: Displayed
  readonly answer: (answer: Answer) => void
}

interface ProposalsOptions {
  readonly documents: CallDocuments
  readonly files: MemoryFiles
  readonly recorder: DisplayRecorder
  readonly activeTab: ActiveTab
  readonly guard: DecisionGuard
}

export class Proposals {
  readonly #options: ProposalsOptions
  readonly #open = new Map<string, OpenProposal>()

  constructor(options: ProposalsOptions) {
    this.#options = options
  }

  register(command: RegisterCommand) {
    command('toolgate.reviewProposal', (id?: string) => this.#show(id))
    command('toolgate.acceptProposal', () => this.#decide(open => this.#accept(open)))
    command('toolgate.rejectProposal', () => this.#decide(({ answer }) => answer({ decision: 'rejected' })))
    command('toolgate.rejectProposalWithReason', () => this.#decide(open => rejectWithReason(open)))
    command('toolgate.showNextOfProposal', () => this.#withActive(open => this.#showMissing(open)))
  }

  /** Offers a proposal, and resolves with the decision. The signal aborts when it is no longer awaited. */
  async propose(id: string, proposal: Proposal, signal: AbortSignal): Promise<Answer> {
    const { documents, files, recorder } = this.#options
    const displayed = new Displayed(writeProposalCard(proposal))
    const card = cardUri(id, `Proposal: ${proposal.path}`)
    const text = cardText(displayed.card)
    documents.set(card, text)
    recorder.add(card, { text, see: lines => displayed.seeCard(lines) })
    const before = sideUri(id, { file: 0, side: 'before' }, proposal.path)
    const after = proposalUri(id, proposal.path)
    documents.set(before, proposal.before ?? '')
    files.set(after, proposal.after)
    for (const [uri, side] of [
      [before, 'before'],
      [after, 'after']
    ] as const)
      recorder.add(uri, {
        text: proposal[side] ?? '',
        see: (lines, isWrapped) => displayed.seeFile({ file: 0, side }, lines, isWrapped)
      })
    try {
      return await new Promise<Answer>((resolve, reject) => {
        this.#open.set(id, { proposal, before, after, card, displayed, answer: resolve })
        signal.addEventListener('abort', () => reject(new Error('The proposal is no longer awaited.')))
        void this.#announce(id, proposal)
      })
    } finally {
      await this.#remove(id)
    }
  }

  async #announce(id: string, { path }: Proposal) {
    const review = 'Review'
    const picked = await vscode.window.showInformationMessage(`Toolgate: a change of ${path} is proposed`, review)
    if (picked === review) await this.#show(id)
  }

  /** Shows a proposal, by default the one that has waited longest. */
  async #show(id = this.#open.keys().next().value) {
    const open = id === undefined ? undefined : this.#open.get(id)
    if (!open) return showBriefly('no proposal is waiting')
    const { before, after, proposal } = open
    await vscode.commands.executeCommand('vscode.diff', before, after, `Proposal: ${proposal.path} (Toolgate)`)
    this.#options.activeTab.update()
  }

  #withActive(act: (open: OpenProposal) => unknown) {
    const { current } = this.#options.activeTab
    const open = current?.part === 'proposal' ? this.#open.get(current.id) : undefined
    return open ? act(open) : showBriefly('no proposal is open')
  }

  #decide(act: (open: OpenProposal) => unknown) {
    return this.#withActive(open =>
      this.#options.guard.accepts() ? act(open) : showBriefly('ignored, because something new has just appeared')
    )
  }

  #accept(open: OpenProposal) {
    this.#options.recorder.recordAll()
    const { displayed, proposal, after, answer } = open
    const missing = displayed.missing().length
    if (missing > 0) {
      showBriefly(`${describeMissing(missing)}; nothing was accepted`)
      return this.#showMissing(open)
    }
    const content = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === after.toString())?.getText()
    const isChanged = content !== undefined && content !== proposal.after
    return answer({ decision: 'accepted', ...(isChanged && { content }) })
  }

  /** Shows the first line that was not displayed: in the diff editor, or in the card if the diff editor may cut it off. */
  async #showMissing({ displayed, before, after, card }: OpenProposal) {
    this.#options.recorder.recordAll()
    const [index] = displayed.missing()
    if (index === undefined) return showBriefly('everything has been displayed')
    const at = displayed.card[index]?.shownAt
    const uri = at?.side === 'before' ? before : after
    const inDiff = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString())
    const fits = inDiff && displayed.isShownInDiff(index, wrapsLinesInDiff(inDiff.document))
    const editor = fits ? inDiff : await vscode.window.showTextDocument(card, { preview: true })
    const line = fits && at ? at.line : index
    editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.InCenter)
    if (!fits)
      showBriefly('this card shows lines that the diff editor may cut off; accept the proposal in the diff editor')
  }

  async #remove(id: string) {
    const { documents, files, recorder, activeTab } = this.#options
    const open = this.#open.get(id)
    if (!open) return
    this.#open.delete(id)
    for (const uri of [open.before, open.after, open.card]) recorder.delete(uri)
    await files.remove(open.after, activeTab.tabsOf(id))
    documents.delete(open.before)
    documents.delete(open.card)
  }
}

async function rejectWithReason({ proposal, answer }: OpenProposal) {
  const prompt = `Reason for rejecting the proposal for ${proposal.path}. It is sent to the caller.`
  const comment = await vscode.window.showInputBox({ prompt, ignoreFocusOut: true })
  if (comment) answer({ decision: 'rejected', comment })
  else showBriefly('you have not decided; the proposal is still open')
}
