"""The closed words of English and Spanish that a comparison leans on, and a light stemmer. Pure.

No tagger and no model: lists of function words, negations and common verbs, and the endings of inflection. A word that
is missing here makes a comparison say less, not something else. Source: SIMILARITY "Contradictions".
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from ..tokens import STOP_WORDS


def word_set(words: str) -> frozenset[str]:
    """The words of a table written as text."""
    return frozenset(words.split())


#: Words that turn a statement round by themselves.
NEGATIONS: Final = word_set(
    """not no never none nobody nothing nowhere neither nor without cannot cant wont dont doesnt didnt isnt arent wasnt
    hardly barely unable unless forbidden prohibited banned disallowed off-limits nunca jamás jamas sin nadie
    ningún ningun ninguno ninguna tampoco ni prohibido prohibida prohibidos prohibidas"""
)
#: Verbs that deny what they govern: "avoid tabs" says "do not use tabs".
NEGATIVE_VERBS: Final = word_set(
    """avoid avoids avoided avoiding lack lacks lacked lacking refuse refuses refused refrain refrains evitar evita
    evite eviten evitad evitamos"""
)
#: Negative only before "to" or a form in -ing: "fails to start", "stopped using".
NEGATIVE_BEFORE_VERB: Final = word_set(
    "fail fails failed stop stops stopped quit quits cease ceases ceased forget forgot"
)
#: What follows a negation that negates nothing.
NOT_NEGATED: Final = word_set("only matter doubt problem wonder op just merely solo")
#: Words whose absence from the other side changes nothing: they weigh nothing in the unexplained rest.
NEUTRAL: Final = word_set(
    """always ever currently now nowadays today still already usually generally normally typically really actually
    simply please remember definitely explicitly strictly absolutely ok okay fine allowed permitted able all
    every any anything anyone anymore longer yet even well exactly totally one instead however therefore thus
    etc important over under siempre actualmente ahora todavía aún normalmente generalmente realmente
    simplemente favor recuerda permitido permitida todo toda todos todas cualquier hoy set get go going make
    makes made keep keeps put turn turns turned switch switched use uses used using let gets exclusively been
    become becomes remain remains stay stays"""
)
COPULAS: Final = word_set("is are was were am be been isn't aren't es son era eran fue está están soy somos será =")
AUXILIARIES: Final = COPULAS | word_set(
    """has have had do does did can could will would shall should must may might needs need debe deben debería deberían
    puede pueden podrá hay tiene tienen ha han había"""
)
#: Finite forms of Spanish verbs, which no ending tells from nouns; they end a subject as auxiliaries do.
FINITE: Final = AUXILIARIES | word_set(
    """tengo usa usan usamos vivo vive viven trabajo trabaja trabajamos prefiero prefiere preferimos escucha escuchan
    corre corren necesita necesitan requiere requieren guarda guardan caduca caducan expira expiran dura duran
    vence borra borran ejecuta ejecutan despliega desplegamos acepta aceptan soporta soportan empieza termina"""
)
PRONOUNS: Final = word_set("i we you they he she it yo nosotros ellos ella él usted")
DETERMINERS: Final = word_set(
    "the a an this that these those my our your his her its their el la los las un una mi su nuestro"
)
PREPOSITIONS: Final = word_set(
    """in on at for from to into onto with within under during inside through via by of about between over per as en a
    para por con de desde bajo durante sobre entre según"""
)
#: A leading phrase with one of these says where or when the rest holds.
SCOPE_WORDS: Final = word_set(
    "in on for at when if while during under inside within with from unless after before en para cuando si durante con"
)
CONJUNCTIONS: Final = word_set("and or but while whereas so because since y o e u pero mientras porque")
#: Base forms and stems of verbs; a form of one can end the subject of a sentence.
VERBS: Final = word_set(
    """run use listen store expire require support live own take need want like dislike love hate prefer enjoy drink
    eat work join move choose pick keep hold send receive return accept reject allow deny block enable disable
    start stop begin end open close read write log cache retry poll push pull deploy build ship point default
    depend replace call trigger fail pass succeed rotate retain delete remove add create update sync merge
    commit publish consume subscribe connect bind mount contain include exclude ignore skip handle serve expose
    mean get give set make let go come meet speak sit cost weigh last happen occur belong inherit extend
    implement match validate sign encrypt hash compress load save emit render format lint index scale drain wait
    sleep terminate restart reload roll drop raise lower increase decrease reach exceed limit cap throttle pay
    buy sell charge review approve maintain manage lead report say think know plan decide agree refuse avoid
    provide offer install upgrade downgrade migrate switch talk host locate reside employ select adopt opt
    settle standardise standardize go went squash rebase tag pin lock unlock mark check verify test document
    prefix name number rename copy paste put turn leave stay become remain seem look feel see hear play cut cook
    wear ride walk jump climb throw catch stand lie carry shut fly swim dance sing paint draw show hide wrap
    split join follow precede teach learn accompany adjust allocate answer appear apply arrive ask assign attach
    authenticate award back batch become believe belong break bring bundle capture carry cause clear clone
    collect compare compute configure confirm consider convert cost count crash cross cycle declare defer define
    deliver derive detect differ direct discard dispatch drain duplicate earn edit emit enforce ensure enter
    escalate evaluate execute exit expect export fall fetch file fill filter finish fire fit flush force forward
    freeze generate group grow guard guarantee head help hire import improve infer ingest inject insert inspect
    intend invoke issue jump kill launch lease leverage lie list listen lose maintain mandate map measure mirror
    miss monitor mute name notify obey observe omit operate order outlive output override parse partition pause
    perform permit persist pick ping place play prevent print process produce prohibit project promise propagate
    protect provision prune purge quote raise rank reclaim recommend record recover redirect refresh reject
    relay rely remind renew repeat request reserve reset resolve respond restore restrict result resume retire
    reuse revert revoke reward roll route satisfy schedule scrape secure seed separate shadow share shift shrink
    sign silence simplify solve sort source span spawn spill stage strip study stream submit suggest supply
    surface survive suspend swap tail tear tolerate touch trace track train transfer transform translate travel
    treat truncate trust turn unwrap visit vote wake warm warn widen win withdraw communicate coordinate
    interact proceed progress rise reside operate kick chop slice pour spread peel mix stir bathe wash clean dry
    watch follow lift drive usar usa use utiliza utilizar ejecuta ejecutar despliega desplegar guarda guardar
    evita evitar prefiere activa activar desactiva desactivar escribe escribir pon poner añade añadir elimina
    eliminar mantén mantener revisa revisar haz hacer"""
)
#: Verbs that are nouns just as often: "deploy jobs run" does not order.
NOUN_VERBS: Final = word_set(
    """deploy test build log cache release request query report review commit merge push pull call limit cap index
    batch load lock file map mark name note order plan point place process project record result schedule scale
    search set share ship sign sort source stage start step store stream support tag target time trace track
    train transfer turn update view visit vote work export import backup host cost change charge copy cut cycle
    delay design display document drop end exit feed fetch filter fix flush format group guard hash head help
    lead lease level list match measure mirror number offer output partition paste patch pause pin play poll
    position post print produce prune purge rank read rebase reload render repeat restart retry return roll root
    route run scan score seed span split squash switch sync talk throttle touch upgrade wait walk watch write"""
)
#: Verbs that take one thing out of several: their object is a choice.
SELECTING: Final = word_set(
    """use choose pick select adopt prefer opt settle decide standardise standardize migrate move switch deploy host
    store write build run manage track sign format lint test ship configure set pin default elegir elegimos
    eligió usar usamos usa utilizamos preferimos prefiero prefiere adoptamos configur send publish buy order
    book speak go ask contact email ping notify consult page message tell call"""
)
#: Verbs that say of a person what there is one of: "studied at X", "comes from Y".
PERSONAL: Final = word_set("study graduate work live come teach train bank bear born play sit base be engineer")
#: Verbs behind which "over" names what was not chosen.
CHOOSING: Final = word_set(
    """choose pick select adopt prefer favour favor opt settle decide use standardise standardize like want recommend
    elegir elegimos preferimos prefiero prefiere"""
)
#: Words that show a sentence to be Spanish.
SPANISH: Final = word_set(
    """el la los las de que en se un una para con del al por es usa usar usamos utiliza utilizar prefiere prefiero
    elegimos"""
)
#: Verbs with one subject at a time.
OWNING: Final = word_set("own lead maintain manage run head chair approve coordinate mantiene lidera dirige")
#: Verbs that do not exclude the next object: to support one thing denies no other.
ADDITIVE: Final = word_set(
    """support include contain cover know speak visit add see mention test check try like enjoy own import export read
    provide offer soporta incluye contiene admite visitar describe ship"""
)
#: Nouns that name something of which there is one: "the owner of X is Y".
SINGULAR: Final = word_set(
    """owner lead leader manager maintainer boss reviewer approver contact name nickname surname email address phone
    birthday birthplace age editor shell terminal theme font colour color language framework database registry
    provider region zone timezone timeout limit default port host hostname url branch license licence version
    format encoding protocol deadline frequency cadence schedule status priority budget price capital password
    secret engine backend vendor supplier tool formatter linter runner orm broker queue cloud platform os
    browser keyboard layout hotel airline seat dish drink food team squad sport band book movie film pet dog cat
    car bike city country town school university employer company job title role position pronoun pronouns
    currency locale location office room bank insurer doctor dentist gym plan tier instance model size unit
    threshold level mode strategy policy algorithm style prefix suffix separator convention director sponsor
    assignee author mentor tutor coach successor head codename project client customer airport ceo cto cfo coo
    president mayor captain coach dueño responsable jefe encargado nombre apellido correo dirección teléfono
    cumpleaños edad editor lenguaje idioma región zona puerto rama licencia versión formato plazo frecuencia
    estado prioridad presupuesto precio contraseña proveedor herramienta equipo comida bebida ciudad país
    empresa trabajo puesto moneda oficina sala banco médico gimnasio"""
)
UNIQUE: Final = word_set(
    """default primary main preferred favourite favorite current only official canonical target base chosen standard
    usual principal predeterminado predeterminada preferido preferida favorito favorita actual oficial"""
)
#: A bare number after one of these names a thing: a key, not a value.
LABELS: Final = word_set(
    """issue pr ticket step phase part chapter section sprint week day line page run attempt build item task milestone
    batch round server shard slot option figure table appendix tier team group case test adr rfc question node
    worker instance iteration release lesson exercise unit module episode season incident meeting proposal rule
    note paso fase parte capítulo sección semana línea página tarea lección"""
)
REFERENCE_LABELS: Final = word_set(
    """issue pr ticket step phase part chapter section sprint line page attempt item task milestone adr rfc case figure
    table paso fase capítulo sección página tarea"""
)
IRREGULAR: Final = {
    "chose": "choose", "chosen": "choose", "ran": "run", "running": "run", "kept": "keep", "held": "hold",
    "wrote": "write", "written": "write", "sent": "send", "built": "build", "went": "go", "made": "make", "took":
    "take", "taken": "take", "gave": "give", "given": "give", "met": "meet", "spoke": "speak", "spoken": "speak",
    "paid": "pay", "bought": "buy", "sold": "sell", "got": "get", "began": "begin", "begun": "begin", "led": "lead",
    "said": "say", "thought": "think", "knew": "know", "known": "know", "used": "use", "uses": "use", "using": "use",
    "drove": "drive", "driven": "drive", "drank": "drink", "ate": "eat", "eaten": "eat", "has": "have", "had": "have",
    "does": "do", "did": "do", "done": "do", "people": "person", "children": "child", "men": "man", "women": "woman",
    "indices": "index", "data": "data", "series": "series", "dns": "dns", "tls": "tls", "aws": "aws", "css": "css",
    "redis": "redis", "kubernetes": "kubernetes", "this": "this", "its": "its", "is": "is", "was": "was", "as": "as",
    "us": "us",
}  # fmt: skip

_VOWELS: Final = frozenset("aeiouyáéíóú")


@lru_cache(maxsize=32768)
def stem(word: str) -> str:
    """The part of a lower-case word that inflection leaves alone: "caches", "cached", "caching" and "cache" are one."""
    if word in IRREGULAR:
        return _bare(IRREGULAR[word])
    if len(word) <= 3 or not word.isalpha():
        return word
    return _bare(_past(_singular(word)))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "ches", "shes", "xes", "zzes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _past(word: str) -> str:
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3 and not _VOWELS.isdisjoint(rest):
            doubled = rest[-1] == rest[-2] and rest[-1] not in "lsz"
            return rest[:-1] if doubled else rest
    return word


def _bare(word: str) -> str:
    """Without the vowel that a verb loses before an ending, or that marks gender in Spanish."""
    if len(word) > 3 and word[-1] == "e":
        return word[:-1]
    return word[:-1] if len(word) > 5 and word[-1] in "ao" else word


def stems(words: str) -> frozenset[str]:
    """The stems of a table written as text."""
    return frozenset(stem(word) for word in words.split())


VERB_STEMS: Final = frozenset(stem(verb) for verb in VERBS)
SELECTING_STEMS: Final = frozenset(stem(verb) for verb in SELECTING)
CHOOSING_STEMS: Final = frozenset(stem(verb) for verb in CHOOSING)
OWNING_STEMS: Final = frozenset(stem(verb) for verb in OWNING)
PERSONAL_STEMS: Final = frozenset(stem(verb) for verb in PERSONAL)
ADDITIVE_STEMS: Final = frozenset(stem(verb) for verb in ADDITIVE)
SINGULAR_STEMS: Final = frozenset(stem(noun) for noun in SINGULAR)

#: Words without content of their own. "on" and "in" can have some: see `reading`.
FUNCTION: Final = (STOP_WORDS | AUXILIARIES) - {"over", "under", "until", "through"}
