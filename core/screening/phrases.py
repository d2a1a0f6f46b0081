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
    r"(?:instruccion(?:es)?|indicaciones|reglas|ordenes|directrices|mensajes|restricciones|normas)"
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
    Phrase("from this", rf"from this (?:point|moment|day) (?:on(?:wards?)?|forward) (?:and )?{_BE}", _STANDING),
    Phrase("from now", rf"from now on(?:wards?)? (?:and )?{_BE}", _STANDING),
    Phrase("henceforth", rf"henceforth {_BE}", _STANDING),
    Phrase("after", rf"after (?:(?:you(?: have)? )?(?:answer(?:ing|ed)?|respond(?:ing|ed)?|reply(?:ing)?|replied)|"
         rf"(?:each|every|any|your) {_ANSWER})[^.\n]{{0,40}}\b(?:always|never|must)\b", _STANDING),
    Phrase("before", rf"before (?:(?:you )?(?:answer|respond|reply)(?:ing)?|(?:each|every|any|your) {_ANSWER})"
         r"[^.\n]{0,40}\b(?:always|never|must)\b", _STANDING),
    Phrase("in all", rf"in all future (?:{_ANSWER}|sessions?|interactions?|tasks?)\b", _STANDING),
    Phrase("in every", rf"in every future (?:{_ANSWER}|sessions?|interactions?|tasks?)\b", _STANDING),
    Phrase("in future", rf"in future (?:{_ANSWER}|sessions|interactions) (?:you|always|never)\b", _STANDING),
    Phrase("in each", rf"in each (?:future )?{_ANSWER} (?:you|always|never)\b", _STANDING),
    Phrase("end ", rf"end (?:each|every|all|any)(?: of)?(?: your)? {_ANSWER} with\b", _STANDING),
    Phrase("begin ", rf"begin (?:each|every|all|any)(?: of)?(?: your)? {_ANSWER} with\b", _STANDING),
    Phrase("start ", rf"start (?:each|every|all|any)(?: of)?(?: your)? {_ANSWER} with\b", _STANDING),
    Phrase("when", r"when(?:ever)? (?:(?:the|a|any) user|anyone|anybody|someone|somebody) (?:asks?|mentions?|wants?|says?|requests?)\b"
         r"[^.\n]{0,80}\b(?:always|never|you must)\b", _STANDING),
    Phrase("when", r"when(?:ever)? you(?: are| re)? (?:asked|told|prompted)\b[^.\n]{0,80}\b(?:always|never|you must)\b", _STANDING),
    Phrase("no matter", r"no matter what (?:the user|you are told|anyone|else)\b", _STANDING),
    Phrase("you must", rf"you must (?:always|never) (?:{_TALK}|reveal|disclose|discuss|admit|question|ask)\b", _STANDING),
    Phrase("you must", r"you must not (?:mention|reveal|tell|disclose|say|admit|discuss|refuse|ask)\b", _SECRECY),
    Phrase("the assistant", r"the assistant (?:must|should|will|shall|has to|is required to) (?:now )?(?:always|never|not)\b",
         _STANDING),
    Phrase("the ai ", r"the ai (?:must|should|will|shall|has to) (?:now )?(?:always|never|not)\b", _STANDING),
    Phrase("your new", r"your new (?:instructions?|task|role|goal|orders?|objective|directive|rules?)\b", _ASIDE),
    # -- other instructions -----------------------------------------------------------------------------------------
    *(
        row
        for verb in ("ignore", "disregard", "forget", "override", "bypass", "discard", "stop following", "not follow",
                     "n't follow")
        for row in (
            Phrase(verb, rf"{verb} {_ALL}(?:{_EARLIER} ){{1,2}}{_INSTRUCTIONS}\b", _ASIDE, unless_not=2),
            Phrase(verb, rf"{verb} (?:all|any|every)(?: of)?(?: (?:the|your|these|those|my))? "
                 rf"(?:{_INSTRUCTIONS}|(?:{_EARLIER} ){{1,2}}{_RULES})\b", _ASIDE, unless_not=2),
            Phrase(verb, rf"{verb} your (?:(?:own|safety|{_EARLIER}) )?(?:{_INSTRUCTIONS}|{_RULES})\b", _ASIDE, unless_not=2),
            Phrase(verb, rf"{verb} {_ALL}{_INSTRUCTIONS} (?:above|before|so far|given|you|that you)\b", _ASIDE, unless_not=2),
        )
    ),
    Phrase("ignore", r"ignore (?:everything|anything|all|what)(?: that| which)? (?:above|before|previously|you (?:were|have been|know))\b",
         _ASIDE),
    Phrase("disregard", r"disregard (?:everything|anything|all)(?: that)? (?:above|before|previously|you (?:were|have been|know))\b", _ASIDE),
    Phrase("forget", r"forget (?:everything|anything|all|what)(?: that| of)? (?:above|before|previously|you (?:were|have been|know|learned))\b",
         _ASIDE),
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
            Phrase(no, rf"{no} (?:ever )?(?:ask|wait for) (?:the user )?(?:for )?(?:permission|confirmation|approval) "
                 r"(?:again|any ?more|from the user|before)\b", _SECRECY, opens=True),
        )
    ),
    Phrase("without", rf"without (?:telling|informing|notifying|alerting|mentioning(?: (?:it|this) to)?|letting) {_PERSON}", _SECRECY,
         unless_not=12),
    Phrase("without", r"without (?:the|a) (?:user|human|person)(?:'?s)? (?:knowing|noticing|knowledge|consent)\b", _SECRECY, unless_not=12),
    Phrase("keep this", r"keep this (?:a )?(?:secret|hidden|confidential|between us|to yourself|from the user)\b", _SECRECY),
    Phrase("hide this", rf"hide this from {_PERSON}", _SECRECY),
    # -- another role -----------------------------------------------------------------------------------------------
    Phrase("act as", r"act as\b", _ROLE, opens=True),
    *(Phrase(who, rf"{who} (?:now )?act as\b", _ROLE) for who in ("you must", "you should", "you will", "you are to", "please")),
    Phrase("pretend", r"pretend (?:to be|that you|you are|you re|you)\b", _ROLE, opens=True),
    Phrase("roleplay", r"roleplay as\b", _ROLE),
    Phrase("role", r"role play as\b", _ROLE),
    Phrase("you are now", r"you are now (?:an?|the|in|no longer|free|acting|playing|called|known|my)\b", _ROLE),
    Phrase("you are no longer", r"you are no longer\b", _ROLE),
    Phrase("you are a", r"you are an? (?:(?:\w{2,20} ){0,2})(?:assistant|ai|agent|chatbot|language model|llm|expert)\b", _ROLE, opens=True),
    Phrase("as an ai", r"as an ai(?: language)? (?:model|assistant)\b", _ROLE),
    # -- frames -----------------------------------------------------------------------------------------------------
    Phrase("system prompt", r"system prompts?\b", _PROMPT),
    Phrase("developer message", r"developer message ?:", _PROMPT),
    # -- away ---------------------------------------------------------------------------------------------------------
    *(
        Phrase(verb, rf"{verb} (?:(?:all|any|the|your|every|its|of|full|entire|this) ){{0,4}}(?:conversation|chat history|chat|credentials?|secrets?|"
             r"api keys?|passwords?|tokens?|environment variables?|private keys?|ssh keys?|memor(?:y|ies))"
             r"(?: \w{2,20}){0,2} (?:to|via) (?:https?:|http\b|the (?:url|address|server|following)|this|[\w.+-]{1,40}@)", _AWAY)
        for verb in ("send", "post", "upload", "forward", "leak")
    ),
    Phrase("exfiltrate", r"exfiltrate\b", _AWAY, opens=True),
    # -- Spanish, accents folded --------------------------------------------------------------------------------------
    *(
        Phrase(verb, rf"{verb} (?:de )?(?:siempre|que (?:debes|tienes que) siempre)\b", _STANDING)
        for verb in ("recuerda", "recuerde", "recordad", "acuerdate", "acuerdese")
    ),
    Phrase("siempre", r"siempre (?:recuerda|recuerde|acuerdate)\b", _STANDING),
    Phrase("nunca", r"nunca olvides?\b", _STANDING),
    Phrase("no olvides", r"no olvides? nunca\b", _STANDING),
    *(
        Phrase(since, rf"{since} (?:tu |usted )?(?:debes?|eres|responde|responderas?|vas|actuas?|actuaras?|tienes|ignora|"
             r"el asistente|(?:siempre|nunca) (?:responde|respondas|contesta|di|digas|menciona|menciones|recomienda))\b", _STANDING)
        for since in ("a partir de ahora", "de ahora en adelante", "desde ahora", "de aqui en adelante")
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
             rf"(?: (?:esto|eso|nada|lo|nunca)){{0,2}} (?:a la|al|a tu|a su) {_ES_PERSON}", _SECRECY)
        for no in ("no", "nunca", "jamas")
    ),
    Phrase("sin ", rf"sin (?:decirselo|decirle(?: nada)?|avisar(?:le)?|informar(?:le)?|contarselo|mencionarlo) (?:a la|al) {_ES_PERSON}",
         _SECRECY, unless_not=12),
    Phrase("nunca", r"nunca (?:debes )?(?:menciones|mencionar|reveles|revelar) (?:esto|estas?|esta) ", _SECRECY),
    Phrase("actua como", r"actua como (?:una?|si|el|la)\b", _ROLE, opens=True),
    Phrase("finge", r"finge (?:ser|que)\b", _ROLE, opens=True),
    Phrase("ahora eres", r"ahora eres\b", _ROLE),
    Phrase("prompt del sistema", r"prompt del sistema\b", _PROMPT),
    Phrase("instrucciones del sistema", r"instrucciones del sistema\b", _PROMPT),
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
    r"[\s>*#`\"-]{0,6}(?:(?:assistant|ai assistant|chatgpt|asistente)[*`\"]{0,3} ?:|"
    r"(?:system|developer|sistema)[*`\"]{0,3} ?: ?[*`\"]{0,3} ?(?:you\b|your\b|ignore\b|always\b|never\b|from now|new\b|the assistant|respond\b|"
    r"override|do not\b|eres\b|debes\b|ignora\b|siempre\b|nunca\b|a partir))"
)
