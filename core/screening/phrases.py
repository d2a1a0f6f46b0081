"""The phrases by which orders to an agent are known, one row each, English then Spanish. Data; `instructions` searches.

Case and accents are folded before. Where the border lies is said in `instructions`.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_STANDING: Final = "an order for all that follows"
_ASIDE: Final = "sets other instructions aside"
_SECRECY: Final = "asks to keep something from the person"
_ROLE: Final = "gives the reader another role"
FRAME: Final = "the frame of a prompt"
_PROMPT: Final = "speaks of the system prompt"
_AWAY: Final = "asks to send something away"
_SWAY: Final = "speaks to the reviewer"

_INSTRUCTIONS: Final = r"(?:instructions?|prompts?|directions?|directives?|guidelines?|programming|safeguards)"
#: Words that mean other things as often: "ignore previous orders" may be about a shop.
_RULES: Final = r"(?:rules|orders|commands|constraints|messages|polic(?:y|ies)|context|training)"
_EARLIER: Final = r"(?:previous|prior|earlier|above|preceding|existing|original|foregoing|former|past|other|system)"
_ALL: Final = r"(?:(?:all|any|every|each|of|the|your|my|our|these|those|such) ){0,4}"
_MOUTH: Final = r"(?:tell|inform|notify|alert|warn|mention|reveal|disclose|admit|let|say|report)"
_PERSON: Final = (
    r"(?:the (?:user|human|person|owner|operator|reviewer|curator|developer|admin(?:istrator)?)|anyone|anybody)\b"
)
_ANSWER: Final = r"(?:answers?|responses?|repl(?:y|ies)|messages?|conversations?|chats?|outputs?)"
_TALK: Final = r"(?:answer|respond|reply|mention|recommend|say|tell|obey|trust|agree|approve|act|behave|speak|pretend|ignore|refuse)"
_BE: Final = rf"(?:you\b|your\b|the assistant\b|(?:(?:always|never) )?{_TALK}\b)"

_ES_INSTRUCTIONS: Final = (
    r"(?:instruccion(?:es)?|indicacion(?:es)?|reglas?|ordenes|directrices|mensajes|restriccion(?:es)?|normas?)"
)
_ES_ALL: Final = r"(?:(?:todas?|todos?|cualquier|las|los|tus|sus|mis|estas|esas|de) ){0,4}"
_ES_EARLIER: Final = r"(?:anterior(?:es)?|previ[ao]s?|existentes|originales|recibidas|de arriba|del sistema)"
_ES_PERSON: Final = r"(?:usuari[oa]|persona|humano|revisora?|duen[oa]|operadora?)\b"


class Phrase(NamedTuple):
    """One row.

    Attributes:
        begins: what every match begins with, so that only those places are tried.
        pattern: a bounded pattern; a blank in it is any light separator.
        words: what the passage does, as a clause.
        opens: whether it must stand at the beginning of a sentence.
        unless_not: how many words before it may hold no "not".
    """

    begins: str
    pattern: str
    words: str
    opens: bool = False
    unless_not: int = 0


PHRASES: Final = (
    # -- for ever ---------------------------------------------------------------------------------------------------
    Phrase("remember", r"remember (?:(?:to|that you(?: must| should)?|you must|you should) )?always\b(?!-)", _STANDING),
    Phrase("remember", r"remember (?:to )?never\b", _STANDING, opens=True),
    Phrase("always", r"always remember (?:to|that|this)\b", _STANDING),
    Phrase("never", r"never forget (?:to|that you)\b", _STANDING, opens=True),
    *(
        Phrase("keep", rf"keep in mind {what}", _STANDING)
        for what in (r"(?:to |that you should |that you must )?always\b(?!-)", r"to never\b")
    ),
    Phrase("from", rf"from (?:this (?:point|moment|day)|now|here) (?:on|onwards?|forward)(?: out)? (?:and )?{_BE}", _STANDING),
    Phrase("henceforth", rf"henceforth {_BE}", _STANDING),
    Phrase("after", rf"after (?:(?:you(?: have)? )?(?:answer(?:ing|ed)?|respond(?:ing|ed)?|reply(?:ing)?|replied)|"
         rf"(?:each|every|any|your) {_ANSWER})[^.\n]{{0,40}}\b(?:always|never|must)\b", _STANDING),
    Phrase("before", rf"before (?:(?:you )?(?:answer|respond|reply)(?:ing)?|(?:each|every|any|your) {_ANSWER})"
         r"[^.\n]{0,40}\b(?:always|never|must)\b", _STANDING),
    Phrase("in all", rf"in all future (?:{_ANSWER}|sessions?|interactions?|tasks?)\b", _STANDING),
    Phrase("in every", rf"in every future (?:{_ANSWER}|sessions?|interactions?|tasks?)\b", _STANDING),
    Phrase("in future", rf"in future (?:{_ANSWER}|sessions|interactions) (?:you|always|never)\b", _STANDING),
    *(
        Phrase("in", rf"in (?:{every} )?{what}", _STANDING)
        for every in ("all", "every", "each", "any")
        for what in (rf"(?:of )?your {_ANSWER}\b", rf"(?:future )?{_ANSWER} (?:you|always|never|{_TALK})\b")
    ),
    Phrase("end ", rf"end (?:(?:each|every|all|any)(?: of)?(?: your)?|your) {_ANSWER} with\b", _STANDING),
    Phrase("begin ", rf"begin (?:(?:each|every|all|any)(?: of)?(?: your)?|your) {_ANSWER} with\b", _STANDING),
    Phrase("start ", rf"start (?:(?:each|every|all|any)(?: of)?(?: your)?|your) {_ANSWER} with\b", _STANDING),
    *(
        Phrase(when, rf"{when}(?:ever)? {whom}\b[^.\n]{{0,80}}\b(?:always|never|you must|say|lie|claim|deny|recommend|suggest|insist|pretend)\b",
               _STANDING, opens=when == "if")
        for when in ("when", "if")
        for whom in (
            r"(?:(?:the|a|any) user|anyone|anybody|someone|somebody) (?:asks?|mentions?|wants?|says?|requests?)",
            r"(?:you(?: are| re)? )?(?:asked|told|prompted)",
        )
    ),
    Phrase("from", r"from today on(?:wards?)? you\b", _STANDING),
    Phrase("at the end", rf"at the (?:end|beginning|start|top) of (?:each|every|any|all)(?: of)?(?: your)? {_ANSWER}\b", _STANDING),
    *(Phrase(each, rf"{each} time you (?:answer|respond|reply|speak|write|are asked)\b", _STANDING) for each in ("each", "every", "any")),
    *(
        Phrase(verb, rf"{verb} [^.\n]{{0,40}}\bfor all future (?:{_ANSWER}|sessions?|interactions?|tasks?)\b", _STANDING)
        for verb in ("remember", "apply", "follow", "obey", "keep", "use")
    ),
    *(
        Phrase(what, rf"{what} (?:to|for) (?:the |any |all |every )?(?:future )?(?:ai|assistants?|agents?|models?|llms?)\b(?: (?:who|that|which))? ?(?::|reading\b|reads?\b)", _STANDING)
        for what in ("note", "message", "instruction", "instructions", "notice")
    ),
    Phrase("attention", r"attention (?:ai|assistant|agent|model)\b", _STANDING, opens=True),
    Phrase("no matter", r"no matter what (?:the user|you are told|anyone|else)\b", _STANDING),
    Phrase("you", rf"you (?:must|should|shall|will|have to|need to) (?:always|never) (?:{_TALK}|reveal|disclose|discuss|admit|question|doubt|ask)\b",
           _STANDING),
    *(Phrase(who, rf"{who} (?:must|shall|has to|will) (?:now )?(?:comply|obey)\b", _STANDING) for who in ("assistant", "agent", "agents", "ai", "model")),
    *(
        Phrase(verb, rf"{verb} [^.\n]{{0,40}}\bto (?:every|any|all|each) (?:questions?|prompts?|requests?|messages?)\b", _STANDING, opens=True)
        for verb in ("respond", "reply", "answer")
    ),
    Phrase("you must", r"you must not (?:mention|reveal|tell|disclose|say|admit|discuss|refuse|ask)\b", _SECRECY),
    Phrase("the assistant", r"the assistant (?:must|should|will|shall|has to|is required to) (?:now )?(?:always|never|not)\b",
         _STANDING),
    Phrase("the ai ", r"the ai (?:must|should|will|shall|has to) (?:now )?(?:always|never|not)\b", _STANDING),
    Phrase("your new", r"your new (?:instructions?|task|role|goal|orders?|objective|directive|rules?)\b", _ASIDE),
    # -- other instructions -----------------------------------------------------------------------------------------
    *(
        row
        for verb in ("ignore", "disregard", "forget", "override", "bypass", "discard", "stop following", "not follow", "not obey",
                     "n't follow", "n't obey", "never follow", "never obey", "no attention to")
        for row in (
            Phrase(verb, rf"{verb} {_ALL}(?:{_EARLIER} ){{1,2}}{_INSTRUCTIONS}\b", _ASIDE, unless_not=2),
            Phrase(verb, rf"{verb} (?:all|any|every)(?: of)?(?: (?:the|your|these|those|my))? "
                 rf"(?:{_INSTRUCTIONS}|(?:{_EARLIER} ){{1,2}}{_RULES})\b", _ASIDE, unless_not=2),
            Phrase(verb, rf"{verb} your (?:(?:own|safety|{_EARLIER}) )?(?:{_INSTRUCTIONS}|{_RULES})\b", _ASIDE, unless_not=2),
            Phrase(verb, rf"{verb} {_ALL}{_INSTRUCTIONS} (?:above|before|so far|given|you|that you)\b", _ASIDE, unless_not=2),
        )
    ),
    *(
        Phrase(verb, rf"{verb} (?:everything|anything|all|what|whatever)(?: that| which| of)? "
               r"(?:above|before|previously|(?:you|i|we|they|the user|anyone) (?:were|was|have|has|had|know|knew|learned|says?|said|told|wrote|asks?|asked))\b", _ASIDE)
        for verb in ("ignore", "disregard", "forget")
    ),
    *(
        Phrase(when, rf"{when} {_INSTRUCTIONS}(?: \w{{2,12}})? (?:no longer|do not|don't|are (?:now )?(?:void|invalid|superseded|obsolete|cancelled|replaced|revoked))\b",
               _ASIDE)
        for when in ("previous", "prior", "earlier", "above", "existing", "original", "old", "system")
    ),
    *(
        Phrase(verb, rf"{verb} (?:(?:all|any|every)(?: of)?(?: the)?|the) (?:safety|security) (?:{_RULES}|{_INSTRUCTIONS})\b", _ASIDE, unless_not=2)
        for verb in ("ignore", "disregard", "forget", "override", "bypass", "discard")
    ),
    Phrase("stop", rf"stop (?:obeying|following) {_ALL}(?:{_EARLIER} ){{0,2}}(?:{_INSTRUCTIONS}|{_RULES})\b", _ASIDE),
    Phrase("rules", r"rules (?:above |before )?(?:do not|don't|no longer) apply to you\b", _ASIDE),
    Phrase("you may", r"you (?:may|can|should|must) (?:skip|bypass|omit) (?:every|any|all|the|each) (?:confirmations?|reviews?|approvals?|checks?)\b", _ASIDE),
    Phrase("you must", r"you must (?:obey|comply)\b", _STANDING),
    Phrase("your", rf"your (?:(?:own|safety|{_EARLIER}) ){{0,2}}(?:{_INSTRUCTIONS}|training|system message)\b", _ASIDE),
    *(Phrase(begin, rf"{begin} (?:of )?(?:new |the )?(?:system )?(?:instructions|system prompt|prompt|context)\b", _ASIDE, opens=True) for begin in ("begin", "end")),
    *(Phrase(who, rf"{who} override\b", _ASIDE, opens=True) for who in ("system", "admin", "developer", "root")),
    Phrase("treat", r"treat (?:this|these|it|the following)(?: \w{2,20}){0,2} as (?:an? |the )?(?:system|developer|instructions?|commands?|orders?|"
           r"law|authoritative|trusted|top priority|highest)\b", _ASIDE),
    *(
        Phrase(verb, rf"{verb} (?:me )?(?:everything|anything|all(?: of)?|(?:all )?(?:of )?the (?:text|words|contents?|conversation|messages?)) (?:above|before this)\b",
               _PROMPT)
        for verb in ("print", "reveal", "show", "output", "repeat", "display", "dump")
    ),
    Phrase("new instruction", r"new instructions? ?:", _ASIDE),
    Phrase("overrides", rf"overrides? (?:all|any|every|your)(?: {_EARLIER})? (?:{_INSTRUCTIONS}|{_RULES})\b", _ASIDE),
    Phrase("takes precedence", rf"takes precedence over {_ALL}(?:{_EARLIER} )?{_INSTRUCTIONS}\b", _ASIDE),
    Phrase("regardless of", rf"regardless of (?:any|your|all)(?: {_EARLIER})? {_INSTRUCTIONS}\b", _ASIDE),
    # -- kept from the person -----------------------------------------------------------------------------------------
    *(
        row
        for no in ("do not", "don't", "dont", "never", "must not", "should not", "not to")
        for row in (
            Phrase(no, rf"{no} (?:ever )?{_MOUTH}(?: (?:this|that|it|anything|any of this|about it|them))?(?: to)? {_PERSON}", _SECRECY),
            Phrase(no, rf"{no} (?:ever )?(?:mention|reveal|disclose|repeat|discuss) (?:this|these|that|the) "
                 r"(?:instructions?|note|memory|entry|prompt|rule)\b", _SECRECY),
            Phrase(no, rf"{no} (?:ever )?(?:ask|wait)(?: the (?:user|person|owner|reviewer))? for (?:permission|confirmation|approval|consent)\b", _SECRECY),
        )
    ),
    Phrase("you no", r"you (?:no longer need|do not need|don't need|need no)(?: to ask for)?(?: any)? (?:permission|confirmation|approval)\b", _SECRECY),
    *(
        Phrase(who, rf"{who} has (?:already )?(?:pre-?)?(?:approved|authori[sz]ed|allowed|permitted|agreed to) (?:all|any|every|this|these)\b", _SECRECY)
        for who in ("user", "owner", "reviewer", "admin", "administrator", "operator")
    ),
    Phrase("without", rf"without (?:telling|informing|notifying|alerting|mentioning(?: (?:it|this) to)?|letting) {_PERSON}", _SECRECY,
         unless_not=12),
    Phrase("without", r"without (?:the|a) (?:user|human|person)(?:'?s)? (?:knowing|noticing|knowledge|consent)\b", _SECRECY, unless_not=12),
    Phrase("kept from", rf"kept (?:secret |hidden )?from {_PERSON}", _SECRECY),
    Phrase("say nothing", rf"say nothing (?:(?:of|about) (?:this|it) )?to {_PERSON}", _SECRECY),
    *(
        Phrase(who, rf"{who} (?:must|should|may) (?:not|never) (?:find out|know|learn|notice|hear|be told|be informed)\b", _SECRECY)
        for who in ("user", "owner", "reviewer", "human", "person", "operator", "curator")
    ),
    *(
        Phrase(how, rf"{how} (?:delete|send|remove|run|execute|upload|change|edit|install|add|insert|copy)\b", _SECRECY, opens=True)
        for how in ("silently", "secretly", "quietly", "covertly")
    ),
    Phrase("keep this", r"keep this (?:a )?(?:secret|hidden|confidential|between us|to yourself|from the user)\b", _SECRECY),
    Phrase("hide", rf"hide (?:this|it|that|them|these)(?: \w{{2,12}})? from {_PERSON}", _SECRECY),
    # -- another role -----------------------------------------------------------------------------------------------
    Phrase("act as", r"act (?:as|like an?)\b", _ROLE, opens=True),
    Phrase("imagine", r"imagine (?:that )?you(?: are|'re)\b", _ROLE, opens=True),
    Phrase("do anything", r"do anything now\b", _ROLE),
    *(Phrase(who, rf"{who} (?:now )?act (?:as|like an?)\b", _ROLE) for who in ("you must", "you should", "you will", "you are to", "please")),
    Phrase("pretend", r"pretend (?:to be|that you|you are|you re|you)\b", _ROLE, opens=True),
    Phrase("roleplay", r"roleplay as\b", _ROLE),
    Phrase("role", r"role play as\b", _ROLE),
    Phrase("you are now", r"you are now (?:an?|the|in|no longer|free|acting|playing|called|known|my)\b", _ROLE),
    Phrase("you have been", r"you have (?:now )?been (?:granted|given) (?:full |root |admin |all |unrestricted ){0,2}(?:access|permissions?|rights|authority|control)\b", _ROLE),
    Phrase("you now", r"you now (?:operate|act|speak|serve|work) (?:as|in|for|under)\b", _ROLE),
    Phrase("your", r"your (?:new )?(?:role|persona|identity|only task|only goal|true goal|real task) (?:is|will be)\b", _ROLE),
    *(Phrase(verb, rf"{verb} as (?:if|though) you (?:are|were)\b", _ROLE) for verb in ("speak", "act", "answer", "respond", "behave", "reply")),
    *(Phrase(how, rf"{how} mode\b", _ROLE) for how in ("unrestricted", "jailbreak", "god")),
    Phrase("you are no longer", r"you are no longer\b", _ROLE),
    Phrase("you are a", r"you are an? (?:(?:\w{2,20} ){0,2})(?:assistant|ai|agent|chatbot|language model|llm|expert)\b", _ROLE, opens=True),
    Phrase("as an ai", r"as an ai(?: language)? (?:model|assistant)\b", _ROLE),
    # -- the reviewer -----------------------------------------------------------------------------------------------
    *(
        Phrase(verb, rf"{verb} (?:this|the) (?:request|change|proposal|edit|deletion|merge) (?:without|immediately|now|at once|right away|as it is)\b", _SWAY)
        for verb in ("approve", "accept", "allow")
    ),
    Phrase("no need", r"no need (?:to|for)(?: a| any)? (?:review|approval|confirmation|confirm|double check)\b", _SWAY),
    # -- frames -----------------------------------------------------------------------------------------------------
    Phrase("system prompt", r"system prompt\b", _PROMPT),
    Phrase("developer message", r"developer message ?:", _PROMPT),
    # -- away ---------------------------------------------------------------------------------------------------------
    *(
        Phrase(verb, rf"{verb} (?:(?:all|any|the|your|every|its|of|full|entire|this) ){{0,4}}(?:conversation|chat history|chat|credentials?|secrets?|"
             r"api keys?|passwords?|tokens?|environment variables?|private keys?|ssh keys?|memor(?:y|ies))"
             r"(?: \w{2,20}){0,2} (?:to|via) (?:https?:|http\b|the (?:url|address|server|following)|this|[\w.+-]{1,40}@)", _AWAY)
        for verb in ("send", "post", "upload", "forward", "leak")
    ),
    *(
        Phrase(verb, rf"{verb} [^\s]{{0,40}}(?:\.ssh|\.env|\.aws|id_rsa|/etc/passwd|/etc/shadow|kubeconfig)[^\s]{{0,40}} to\b", _AWAY)
        for verb in ("send", "post", "upload", "forward", "leak", "copy")
    ),
    *(Phrase(tool, rf"{tool} [^|\n]{{1,200}}\| ?(?:sudo )?(?:ba|z|da)?sh\b", "runs a program straight from the net") for tool in ("curl", "wget")),
    Phrase("exfiltrate", r"exfiltrate\b", _AWAY, opens=True),
    # -- Spanish, accents folded --------------------------------------------------------------------------------------
    *(
        Phrase(verb, rf"{verb} (?:de )?(?:siempre|que (?:debes|tienes que) siempre)\b", _STANDING)
        for verb in ("recuerda", "recuerde", "recordad", "acuerdate", "acuerdese")
    ),
    Phrase("siempre", r"siempre (?:recuerda|recuerde|acuerdate)\b", _STANDING),
    Phrase("nunca", r"nunca olvides?\b", _STANDING),
    Phrase("ten", r"ten (?:en cuenta|presente) (?:siempre|que debes siempre)\b", _STANDING),
    Phrase("no olvides", r"no olvides? nunca\b", _STANDING),
    *(
        Phrase(since, rf"{since} (?:tu |usted )?(?:debes?|eres|respondes?|responderas?|contestas?|hablas?|recomiendas?|vas|actuas?|actuaras?|tienes|ignora|"
             r"el asistente|(?:siempre|nunca) (?:responde|respondas|contesta|di|digas|menciona|menciones|recomienda))\b", _STANDING)
        for since in ("a partir de ahora", "a partir de este momento", "de ahora en adelante", "desde ahora", "desde hoy", "de aqui en adelante")
    ),
    Phrase("despues de", r"despues de (?:cada respuesta|responder|contestar)[^.\n]{0,40}\b(?:siempre|nunca|debes)\b", _STANDING),
    Phrase("en todas", r"en todas (?:las|tus) (?:futuras )?(?:respuestas|sesiones|conversaciones)(?: futuras)? (?:debes|siempre|nunca|"
         r"incluye|recomienda|menciona)\b", _STANDING),
    Phrase("cuando", r"cuando (?:el|la|un|una) usuari[oa] (?:pregunte|pregunta|pida|pide|mencione|menciona)\b[^.\n]{0,80}\b(?:siempre|nunca)\b",
         _STANDING),
    Phrase("debes", r"debes (?:siempre|nunca) (?:responder|recordar|mencionar|recomendar|ignorar|decir)\b", _STANDING),
    *(
        row
        for verb in ("ignora", "ignore", "ignorad", "olvida", "olvide", "descarta", "omite", "desobedece", "no sigas", "caso omiso de",
                     "caso omiso a")
        for row in (
            Phrase(verb, rf"{verb} {_ES_ALL}{_ES_INSTRUCTIONS} {_ES_EARLIER}\b", _ASIDE, unless_not=2),
            Phrase(verb, rf"{verb} {_ES_ALL}{_ES_EARLIER} {_ES_INSTRUCTIONS}\b", _ASIDE, unless_not=2),
            Phrase(verb, rf"{verb} (?:todo |todas )?(?:lo|tus|sus) (?:anterior|que te (?:han|he) dicho|{_ES_INSTRUCTIONS})\b", _ASIDE,
                 unless_not=2),
        )
    ),
    *(
        Phrase(no, rf"{no} (?:se )?(?:le|lo|la|les|selo)? ?(?:digas?|cuentes?|menciones?|informes?|reveles?|avises?|confieses?)"
             rf"(?: (?:esto|eso|nada|lo|nunca|esta \w{{2,12}})){{0,2}} (?:(?:a la|al|a tu|a su) {_ES_PERSON}|a nadie\b)", _SECRECY)
        for no in ("no", "nunca", "jamas")
    ),
    Phrase("sin ", rf"sin (?:decirselo|decirle(?: nada)?|avisar(?:le)?|informar(?:le)?|contarselo|mencionarlo) (?:a la|al) {_ES_PERSON}",
         _SECRECY, unless_not=12),
    *(
        Phrase(no, rf"{no} (?:debes )?(?:menciones|mencionar|reveles|revelar|digas|cuentes) (?:esto|esta (?:nota|regla|entrada|memoria)|estas (?:notas|reglas|instrucciones))\b",
               _SECRECY)
        for no in ("no", "nunca", "jamas")
    ),
    *(
        Phrase(verb, rf"{verb} (?:esto|esta (?:nota|regla|entrada)|estas instrucciones)?(?: )?(?:a la|al) {_ES_PERSON}", _SECRECY)
        for verb in ("oculta", "ocultar", "ocultale", "ocultalo", "esconde", "esconder")
    ),
    *(
        Phrase(verb, rf"{verb} (?:(?:todas?|todos?|las|los|tus|sus) ){{0,2}}(?:contrasenas?|credenciales|claves|secretos|tokens?|conversacion(?:es)?|memorias?)"
               r"(?: \w{2,20}){0,2} a (?:https?:|http\b|la (?:direccion|url)|[\w.+-]{1,40}@)", _AWAY)
        for verb in ("envia", "enviar", "manda", "sube", "reenvia")
    ),
    Phrase("actua como", r"actua como (?:una?|si|el|la)\b", _ROLE, opens=True),
    Phrase("comportate", r"comportate como\b", _ROLE, opens=True),
    Phrase("finge", r"finge (?:ser|que)\b", _ROLE, opens=True),
    Phrase("eres", r"eres (?:una?) (?:\w{2,20} ){0,1}(?:asistente|ia|agente|modelo|chatbot|expert[oa])\b", _ROLE, opens=True),
    Phrase("siempre que", r"siempre que (?:el|la|un|una) usuari[oa] \w{2,20}\b[^.\n]{0,40}\b(?:recomienda|menciona|di|responde|contesta|incluye)\b", _STANDING),
    Phrase("ahora eres", r"ahora eres\b", _ROLE),
    Phrase("prompt del sistema", r"prompt del sistema\b", _PROMPT),
    Phrase("instrucciones del sistema", r"instrucciones del sistema\b", _PROMPT),
    Phrase("instrucciones", rf"instrucciones {_ES_EARLIER} (?:ya )?no (?:valen|sirven|aplican|cuentan)\b", _ASIDE),
    Phrase("nuevas instrucciones", r"nuevas instrucciones ?:", _ASIDE),
)  # fmt: skip

#: Frames of prompts, as they stand: literal beginning, pattern.
FRAMES: Final = (
    ("<", r"</?(?:system|assistant|human|instructions?|system[-_](?:prompt|reminder|message|instructions?))>"),
    ("<|", r"<\|[a-z_]{2,20}\|>"),
    ("<<sys", r"<<sys>>"),
    ("[", r"\[/?(?:inst|sys|system message)\]"),
    ("##", r"#{2,6} ?(?:system|instruction|assistant|new instructions)\b ?:"),
)
#: A line that begins so is the turn of a conversation; "system:" alone may be a heading, so it must go on to order.
TURNS: Final = re.compile(
    r"[\s>*#`\"-]{0,6}(?:(?:assistant|ai assistant|chatgpt|asistente|human)[*`\"]{0,3} ?:|"
    r"(?:system|developer|sistema)[*`\"]{0,3} ?: ?[*`\"]{0,3} ?(?:you\b|your\b|ignore\b|always\b|never\b|from now|new\b|the assistant|respond\b|"
    r"override|do not\b|eres\b|debes\b|ignora\b|siempre\b|nunca\b|a partir))"
)
